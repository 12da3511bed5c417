import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileState } from '#domain/events/index.ts';
import type { ChangeRequest } from '#main/changes/types.ts';
import { makeChanges, readJournal, realBlobs, request } from '#test/support/changes/stores.ts';
import { makeWorld, type World } from '#test/support/changes/world.ts';

const out = mkdtempSync(join(tmpdir(), 'changes-child-'));
const child = join(out, 'child.mjs');
beforeAll(() => build({ entryPoints: [fileURLToPath(new URL('../support/changes/kill-child.ts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: child, logLevel: 'silent' }), 60_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

const AFTER = 'after, long enough for pieces\n'.repeat(500);
const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
const stateOf = async (path: string): Promise<FileState | null> => {
  const world = { base: tmpdir() } as World;
  const state = await makeChanges(world).changes.inspect(path);
  return state.ok ? state.value : null;
};

interface Scenario {
  readonly name: string;
  readonly paths: readonly string[];
  make(world: World): Promise<{ request: ChangeRequest; content: string | null }>;
}

const scenarios: readonly Scenario[] = [
  { name: 'write', paths: ['a.txt'], make: async (w) => ({ request: request('write', join(w.ws, 'a.txt'), { expected: await stateOf(join(w.ws, 'a.txt')) }), content: AFTER }) },
  { name: 'create', paths: ['new.txt'], make: async (w) => ({ request: request('create', join(w.ws, 'new.txt')), content: AFTER }) },
  { name: 'move', paths: ['a.txt', 'docs/a.txt'], make: async (w) => ({ request: request('move', join(w.ws, 'a.txt'), { to: join(w.ws, 'docs/a.txt'), expected: await stateOf(join(w.ws, 'a.txt')) }), content: null }) },
  { name: 'trash', paths: ['a.txt'], make: async (w) => ({ request: request('trash', join(w.ws, 'a.txt'), { expected: await stateOf(join(w.ws, 'a.txt')) }), content: null }) },
  {
    name: 'revert', paths: ['a.txt'],
    make: async (w) => {
      const path = join(w.ws, 'a.txt');
      const before = (await stateOf(path))!;
      await (await realBlobs(w)).put(readFileSync(path));
      writeFileSync(path, AFTER);
      return { request: request('revert', path, { restore: { ...before, blob: true }, expected: await stateOf(path) }), content: null };
    },
  },
];

interface Run {
  readonly killed: boolean;
  readonly calls: number;
  readonly ok: boolean;
}

function run(world: World, n: number, job: { request: ChangeRequest; content: string | null }): Promise<Run> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, JSON.stringify({ base: world.base, n, ...job })], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    process_.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    process_.on('error', reject);
    process_.on('close', (_code, signal) => {
      const said = text === '' ? { calls: 0, ok: false } : (JSON.parse(text) as { calls: number; ok: boolean });
      resolve({ killed: signal === 'SIGKILL', calls: said.calls, ok: said.ok });
    });
  });
}

let kills = 0;
describe('kill -9 before every call', () => {
  for (const scenario of scenarios)
    it(`${scenario.name}: the file is before or after, the intent settles, nothing stays behind`, { timeout: 300_000 }, async () => {
      const worlds: World[] = [];
      try {
        const calm = makeWorld();
        worlds.push(calm);
        const job = await scenario.make(calm);
        const before = scenario.paths.map((path) => read(join(calm.ws, path)));
        const gold = await run(calm, 0, job);
        expect(gold.ok).toBe(true);
        const after = scenario.paths.map((path) => read(join(calm.ws, path)));
        const one = async (n: number) => {
          const world = makeWorld();
          worlds.push(world);
          const result = await run(world, n, await scenario.make(world));
          expect(result.killed, `call ${n}`).toBe(true);
          kills += 1;
          const entries = readJournal(`${world.base}/journal.jsonl`);
          const planned = entries.filter((entry) => entry.what === 'planned').map((entry) => entry.data!);
          const next = makeChanges(world, { blobs: await realBlobs(world) });
          const open = planned.filter((plan) => !entries.some((entry) => entry.what !== 'planned' && entry.change === plan.change));
          const settled = await next.changes.settle(open);
          const swept = await next.changes.sweepLeftovers([world.ws, join(world.ws, 'docs')], planned);
          const now = scenario.paths.map((path) => read(join(world.ws, path)));
          const state = JSON.stringify(now) === JSON.stringify(after) ? 'after' : JSON.stringify(now) === JSON.stringify(before) ? 'before' : 'neither';
          expect(state, `call ${n}: ${JSON.stringify(now).slice(0, 120)}`).not.toBe('neither');
          if (settled.length > 0) expect(settled[0]!.outcome, `call ${n}`).toBe(state === 'after' ? 'applied' : 'notApplied');
          else expect(state, `call ${n}`).toBe(entries.some((entry) => entry.what === 'changed') ? 'after' : 'before');
          expect(swept.left, `call ${n}`).toEqual([]);
          expect(readdirSync(world.ws, { recursive: true }).filter((name) => String(name).includes('.curator-'))).toEqual([]);
          if (state === 'before') for (const [i, path] of scenario.paths.entries()) if (before[i] !== null) expect(statSync(join(world.ws, path)).nlink).toBe(1);
        };
        const numbers = Array.from({ length: gold.calls }, (_, i) => i + 1);
        // Four at a time: the work is in starting processes.
        for (let i = 0; i < numbers.length; i += 4) await Promise.all(numbers.slice(i, i + 4).map(one));
      } finally {
        for (const world of worlds) world.clean();
      }
    });
  it('was killed a hundred times or more', () => {
    expect(kills).toBeGreaterThanOrEqual(100);
  });
});
