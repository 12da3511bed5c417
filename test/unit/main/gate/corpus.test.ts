import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isWithin, type Flavour } from '#domain/policy/flavour.ts';
import { checkBareName } from '#domain/policy/path-text.ts';
import { createGate } from '#main/gate/gate.ts';
import type { Gate, GateContext, GateOp, Verdict } from '#main/gate/types.ts';
import { pathCases, type PathCase } from '#test/support/changes/corpus.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { stubFs } from '#test/support/changes/stub-fs.ts';
import { address, context, makeWorld, type World } from '#test/support/changes/world.ts';

const wordOf = (verdict: Verdict) => (verdict.verdict === 'refuse' ? (verdict.code === 'gate.sensitive' ? 'sensitive' : 'deny') : verdict.verdict === 'do' ? 'allow' : 'confirm');

/** Both ends of a case, the way the two-ended tools judge them. */
async function verdictOf(gate: Gate, one: PathCase, path: string, target: string | undefined, ctx: GateContext, flavour: Flavour): Promise<string> {
  if (one.op === 'chooseRoot') return (await gate.judgeRoot(path)).ok ? 'allow' : 'deny';
  if (target === undefined || one.op === 'trash') return wordOf(await gate.judge(one.op as GateOp, path, ctx));
  const from = await gate.judge(one.op === 'copy' ? 'read' : (one.op as GateOp), path, ctx);
  if (from.verdict === 'refuse') return 'deny';
  if (one.op === 'rename' && !checkBareName(target, flavour).ok) return 'deny';
  const to = await gate.judge('create', target, ctx);
  if (to.verdict === 'refuse') return 'deny';
  // Existing targets and a folder into itself are the change protocol's to refuse (test/unit/main/changes).
  if (to.target.exists || isWithin(to.target.path, from.target.path, flavour, 'exact')) return 'deny';
  return 'confirm';
}

function passes(one: PathCase, word: string): boolean {
  if (one.expect === 'contained') return true;
  const accepted = one.accept ?? [one.expect];
  if (accepted.includes(word) || (accepted.includes('not-found') && word === 'deny')) return true;
  // A sensitive name is refused for a write as well: `deny` names the stricter side of the same answer.
  return word === 'sensitive' && accepted.includes('deny');
}

const cases = pathCases();

describe('path corpus on a real disk', () => {
  let world: World;
  let before: string;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.clean());

  for (const one of cases.filter((c) => (c.platform === 'any' || c.platform === 'posix') && c.op !== 'chooseRoot'))
    it(`[WA-POLICY-01] ${one.id} ${one.family}: ${one.op} ${JSON.stringify(one.path).slice(0, 60)} is ${one.accept?.join(' or ') ?? one.expect}`, async () => {
      for (const step of one.setup ?? []) world.set(step);
      const root = one.setup?.some((step) => step.startsWith('choose')) ? world.expand('${LINKROOT}') : world.ws;
      before = world.outside();
      const gate = createGate({ fs: realFs(), flavour: 'posix', home: null, dataDir: world.data });
      const ctx = context([address(root)]);
      const path = world.expand(one.path);
      let word = await verdictOf(gate, one, path, one.target === undefined ? undefined : world.expand(one.target), ctx, 'posix');
      if (one.setup?.some((step) => step.startsWith('race:'))) {
        expect(word).toBe('confirm');
        renameSync(join(world.ws, 'swap2'), join(world.ws, 'swap2-away'));
        symlinkSync(world.out, join(world.ws, 'swap2'));
        word = await verdictOf(gate, one, path, undefined, ctx, 'posix');
      }
      expect(passes(one, word), `${word}: ${one.why}`).toBe(true);
      expect(world.outside()).toBe(before);
    });
});

describe('path corpus by rule, on a stubbed disk', () => {
  const homes = {
    win32: { ws: 'C:\\Users\\u\\ws', out: 'C:\\Users\\u\\out', home: 'C:\\Users\\u', data: 'C:\\Users\\u\\AppData\\Roaming\\Curator' },
    darwin: { ws: '/Users/u/ws', out: '/Users/u/out', home: '/Users/u', data: '/Users/u/Library/Application Support/Curator' },
    posix: { ws: '/home/u/ws', out: '/home/u/out', home: '/home/u', data: '/home/u/.local/share/curator' },
  } as const;
  for (const flavour of ['win32', 'darwin', 'posix'] as const) {
    const at = homes[flavour];
    const sep = flavour === 'win32' ? '\\' : '/';
    const inside = ['README.md', `src${sep}main.cpp`, '.env', 'secrets.json', 'token.json', 'id_rsa', 'a.exe', 'a.txt'].map((name) => at.ws + sep + name);
    const outside = [`${at.out}${sep}canary.txt`, `${at.home}${sep}x.txt`, `${at.home}${sep}file.txt`, `${at.ws}-evil${sep}canary.txt`];
    const links = flavour === 'win32' ? { [`${at.ws}\\j`]: at.out, [`${at.ws}\\mnt`]: 'D:\\disk', [`${at.ws}\\PROGRA~1`]: 'C:\\Program Files', 'C:\\PROGRA~1': 'C:\\Program Files' } : {};
    const folders = [
      `${at.ws}${sep}docs`, `${at.data}${sep}blobs`, 'D:\\工作\\proj', 'D:\\disk', 'C:\\Windows', 'C:\\Program Files', 'C:\\Program Files (x86)\\App', 'C:\\$Recycle.Bin',
      '/Library', '/Applications', '/Users/u/Library/Keychains', '/Users/u/Documents', '/home/u/项目 资料', '/usr', '/etc', '/proc', '/sys', '/boot', '/root',
    ].filter((path) => path.startsWith('/') === (flavour !== 'win32'));
    const fs = stubFs(flavour, [...inside, ...outside], folders, links);
    const gate = createGate({ fs, flavour, home: at.home, dataDir: at.data });
    const wanted = cases.filter((c) => c.platform === flavour || (c.platform === 'any' && flavour !== 'posix') || (c.op === 'chooseRoot' && (c.platform === 'any' || c.platform === flavour)));
    for (const one of wanted.filter((c) => c.platform !== 'posix' || c.op === 'chooseRoot'))
      it(`[WA-POLICY-01] ${one.id} ${one.family} (${flavour}): ${one.op} ${JSON.stringify(one.path).slice(0, 60)} is ${one.accept?.join(' or ') ?? one.expect}`, async () => {
        const fill = (text: string) => text.replaceAll('${WS}', at.ws).replaceAll('${OUT}', at.out).replaceAll('${APPDATA}', at.data);
        const word = await verdictOf(gate, one, fill(one.path), one.target === undefined ? undefined : fill(one.target), context([address(at.ws)]), flavour);
        expect(passes(one, word), `${word}: ${one.why}`).toBe(true);
      });
  }
});

it('[WA-POLICY-03] sees a folder made into a link after the question', async () => {
  const world = makeWorld();
  try {
    const gate = createGate({ fs: realFs(), flavour: 'posix', home: null, dataDir: world.data });
    mkdirSync(join(world.ws, 'swap'));
    expect((await gate.judge('create', 'swap/x.txt', context([address(world.ws)]))).verdict).toBe('ask');
    renameSync(join(world.ws, 'swap'), join(world.ws, 'gone'));
    symlinkSync(world.out, join(world.ws, 'swap'));
    expect(await gate.judge('create', 'swap/x.txt', context([address(world.ws)]))).toMatchObject({ verdict: 'refuse', code: 'gate.link.outside' });
    expect(existsSync(join(world.out, 'x.txt'))).toBe(false);
  } finally {
    world.clean();
  }
});
