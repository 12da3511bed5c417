import { expect, it } from 'vitest';
import { isWithin, splitPath } from '#domain/policy/flavour.ts';
import { checkName } from '#domain/policy/path-text.ts';
import { createGate } from '#main/gate/gate.ts';
import type { GateOp } from '#main/gate/types.ts';
import { stubFs } from '#test/support/changes/stub-fs.ts';
import { address, context } from '#test/support/changes/world.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const rounds = process.env['NIGHTLY'] ? 1_000_000 : 20_000;

/** What may stand in a made-up path, on top of what the real-disk fuzz uses. */
const PIECES = [
  '..', '..', '.', '', 'src', 'SRC', 'j', 'mnt', 'out', 'ws', 'WS', 'ws-evil', 'README.md', 'readme.MD', 'a.txt:x', 'a.txt::$DATA', 'CON', 'nul .txt', 'COM1', 'PROGRA~1', 'a.', 'a ', '.. ', '...', '..\u200b', '．．', 'C:', 'c:', '\\\\?', '\\\\.',
  '?', '*', '"', '<', '\0', '\u202e', '%2e%2e', '..\\..', 'Windows', 'Library', 'AppData', 'Curator', 'data', '..namedfork', 'rsrc', '/', '\\', '//', '\\\\', '.env', 'x.exe ', 'ﬁle.txt', 'e\u0301.md', 'é.md',
];

for (const flavour of ['win32', 'darwin'] as const)
  it(`[WA-POLICY-02] lets none of ${rounds.toLocaleString('en')} made-up ${flavour} paths out (seed ${seed})`, { timeout: 3_600_000 }, async () => {
    let state = seed >>> 0;
    const pick = (below: number) => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % below;
    };
    const win = flavour === 'win32';
    const ws = win ? 'C:\\Users\\u\\ws' : '/Users/u/ws';
    const out = win ? 'C:\\Users\\u\\out' : '/Users/u/out';
    const sep = win ? '\\' : '/';
    const data = ws + sep + 'data';
    const fs = stubFs(flavour, [`${ws}${sep}README.md`, `${ws}${sep}src${sep}a.txt`, `${ws}${sep}é.md`, `${out}${sep}canary.txt`], [data, win ? 'D:\\disk' : '/Volumes/disk'], { [`${ws}${sep}j`]: out, [`${ws}${sep}mnt`]: win ? 'D:\\disk' : '/Volumes/disk' });
    const gate = createGate({ fs, flavour, home: win ? 'C:\\Users\\u' : '/Users/u', dataDir: data });
    const ops: readonly GateOp[] = ['read', 'list', 'search', 'create', 'write', 'move', 'trash', 'mkdir', 'open'];
    let permitted = 0;
    for (let i = 0; i < rounds; i++) {
      let path = ['', '', ws + sep, ws + '/', ws, sep, '//', win ? 'C:\\' : '/'][pick(8)]!;
      for (let k = 1 + pick(5); k > 0; k--) path += PIECES[pick(PIECES.length)]! + (k > 1 ? (pick(3) === 0 ? sep : '/') : '');
      const verdict = await gate.judge(ops[pick(ops.length)]!, path, context([address(ws)]));
      if (verdict.verdict === 'refuse') continue;
      permitted += 1;
      const { target } = verdict;
      const fine = isWithin(target.path, ws, flavour, 'exact') && !isWithin(target.path, data, flavour, 'loose') && splitPath(target.path, flavour).parts.every((name) => checkName(name, flavour).ok);
      if (!fine) expect.fail(`escape at round ${i} with seed ${seed}: ${JSON.stringify(path)} → ${JSON.stringify(verdict)}`);
    }
    expect(permitted).toBeGreaterThan(rounds / 200);
  });
