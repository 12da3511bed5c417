import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createGate } from '#main/gate/gate.ts';
import type { GateOp } from '#main/gate/types.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { address, context, makeWorld } from '#test/support/changes/world.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const rounds = process.env['NIGHTLY'] ? 1_000_000 : 20_000;

/** A small repeatable generator (mulberry32). */
function generator(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const world = makeWorld();
afterAll(() => world.clean());

it(`[WA-POLICY-02] [WA-POLICY-03] lets none of ${rounds.toLocaleString('en')} made-up paths out (seed ${seed})`, { timeout: 3_600_000 }, async () => {
  symlinkSync(world.out, join(world.ws, 'away'));
  symlinkSync('away', join(world.ws, 'chain'));
  symlinkSync('src', join(world.ws, 'in'));
  symlinkSync('../..', join(world.ws, 'docs', 'up'));
  symlinkSync(join(world.out, 'new.txt'), join(world.ws, 'nowhere'));
  symlinkSync('loop', join(world.ws, 'loop'));
  const pick = generator(seed);
  const pieces = [
    '..', '..', '..', '.', '', 'src', 'docs', 'up', 'away', 'chain', 'in', 'nowhere', 'loop', 'out', 'ws', 'ws-evil', 'ws2', 'ws.bak', 'data', 'blobs', 'canary.txt', 'README.md', 'new', '...', '．．', '‥', '%2e%2e', '..%2f', '..\\', '\\..\\',
    '~', '$HOME', '%TEMP%', 'file:', 'a\0', '..\u0000', '. .', '.. ', ' ..', '\u202e..', '\u200b..', 'ws ', 'etc', 'proc', 'self', 'cwd', 'root', 'fd', world.ws, world.out, world.base, world.data, world.ws + '-evil', world.ws + '/../out', '/proc/self/cwd', '//', 'WS', 'OUT', 'main.cpp', '.git', 'x'.repeat(260),
  ];
  const ops: readonly GateOp[] = ['read', 'list', 'search', 'create', 'write', 'copy', 'move', 'rename', 'trash', 'mkdir', 'open'];
  const gate = createGate({ fs: realFs(), flavour: 'posix', home: null, dataDir: world.data });
  const callers = [context([address(world.ws)]), context([address(world.ws, 'direct')], { caller: 'model', permission: 'review' })];
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const count = 1 + pick(7);
    let path = pick(4) === 0 ? '/' : '';
    for (let k = 0; k < count; k++) path += (k > 0 ? (pick(12) === 0 ? '//' : '/') : '') + pieces[pick(pieces.length)]!;
    const started = performance.now();
    const verdict = await gate.judge(ops[pick(ops.length)]!, path, callers[i % 2]!);
    times.push(performance.now() - started);
    if (verdict.verdict === 'refuse') continue;
    const inside = verdict.target.path === world.ws || verdict.target.path.startsWith(world.ws + '/');
    // The local assistant never leaves; a run that reviews may only ask, and the question names the real place.
    if (inside ? verdict.target.zone === 'outside' : i % 2 === 0 || verdict.verdict === 'do' || verdict.target.zone === 'inside' || verdict.target.path.startsWith(world.data))
      expect.fail(`escape at round ${i} with seed ${seed}: ${JSON.stringify(path)} → ${JSON.stringify(verdict)}`);
  }
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.99)]!).toBeLessThan(20);
});
