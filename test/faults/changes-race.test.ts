import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toolRun } from '#test/support/changes/tools.ts';
import { address, makeWorld, treeHash } from '#test/support/changes/world.ts';

const rounds = process.env['NIGHTLY'] ? 20_000 : 400;

/**
 * Swaps a folder of the address for a link to the outside and back until it is killed. It holds the link for 0–1 ms
 * and the folder for 0–8 ms, at random: without a pause hardly any call finds the folder still, and all are refused.
 */
const SWAPPER = `
const fs = require('node:fs'); const [ws, out] = process.argv.slice(1); const d = ws + '/d';
const hold = (most) => { const until = performance.now() + Math.random() * most; while (performance.now() < until); };
process.stdout.write('ready');
for (;;) { try { fs.renameSync(d, d + '1'); fs.symlinkSync(out, d); hold(1); fs.unlinkSync(d); fs.renameSync(d + '1', d); hold(8); } catch {} }`;

it(`[WA-POLICY-03] ${rounds} calls against a folder that turns into a link and back: nothing outside is read, named or written`, { timeout: 3_600_000 }, async () => {
  const world = makeWorld();
  mkdirSync(join(world.ws, 'd'));
  for (const name of ['a.txt', 'canary.txt']) writeFileSync(join(world.ws, 'd', name), 'inside\n');
  writeFileSync(join(world.out, 'a.txt'), `outside ${world.canary}\n`);
  writeFileSync(join(world.out, 'only-outside.txt'), world.canary);
  const before = treeHash(world.out);
  const swapper = spawn(process.execPath, ['-e', SWAPPER, world.ws, world.out], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await new Promise((ready) => swapper.stdout.once('data', ready));
    const run = toolRun(world, { addresses: [address(world.ws, 'direct')], gate: { permission: 'full' } });
    const calls: readonly [string, (i: number) => unknown][] = [
      ['read_file', () => ({ path: 'd/a.txt' })], ['list_files', () => ({ path: 'd' })], ['search_text', () => ({ path: 'd', query: 'canary-' })], ['create_file', (i) => ({ path: `d/new-${i % 32}.txt`, content: 'ours\n' })],
      ['write_file', (i) => ({ path: 'd/a.txt', content: `ours ${i}\n` })], ['copy_file', (i) => ({ path: 'd/a.txt', to: `copy-${i % 32}.txt` })], ['move_file', (i) => ({ path: `d/new-${(i - 3) % 32}.txt`, to: `d/moved-${i % 32}.txt` })], ['create_folder', (i) => ({ path: `d/sub-${i % 32}` })],
    ];
    let done = 0;
    let refused = 0;
    for (let i = 0; i < rounds; i++) {
      const [name, args] = calls[i % calls.length]!;
      const out = await run.call(name, args(i));
      if (out.outcome === 'ok') done += 1;
      else refused += 1;
      expect(JSON.stringify(out), `${name} at ${i}`).not.toMatch(new RegExp(`${world.canary}|only-outside`));
      if (i % 16 === 0) run.context.seen.clear();
    }
    expect(done, 'calls that found the folder still').toBeGreaterThan(0);
    expect(refused, 'calls that met the swap').toBeGreaterThan(0);
    expect(treeHash(world.out)).toBe(before);
    for (const name of readdirSync(world.ws).filter((one) => one.startsWith('copy-'))) expect(readFileSync(join(world.ws, name), 'utf8')).not.toContain('outside');
    for (const bytes of run.kit.blobs.all.values()) expect(Buffer.from(bytes).toString().startsWith('outside')).toBe(false);
  } finally {
    swapper.kill('SIGKILL');
    await new Promise((gone) => swapper.once('close', gone));
    world.clean();
  }
});
