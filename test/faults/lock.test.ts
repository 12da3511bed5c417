import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { acquireLock } from '#main/lock/lock.ts';

const RACES = process.env['NIGHTLY'] ? 2000 : 50;
const out = mkdtempSync(join(tmpdir(), 'lock-race-'));
const child = join(out, 'child.mjs');
const fs = createNodeFs();
beforeAll(() => build({ entryPoints: [fileURLToPath(new URL('../support/fs/lock-child.ts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: child, logLevel: 'silent' }), 60_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Starts a contender; resolves with its answer. It holds on until `end`. */
async function contend(dir: string, by: 'socket' | 'file' = 'socket'): Promise<{ readonly said: string; readonly life: ChildProcess }> {
  const life = spawn(process.execPath, [child, dir, by], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = await new Promise<string>((done) => life.stdout.once('data', (chunk: Buffer) => done(chunk.toString().trim())));
  return { said, life };
}

async function end(life: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  const gone = new Promise((done) => life.once('close', done));
  if (signal) life.kill(signal);
  else life.stdin?.end();
  await gone;
}

describe('two processes and one data folder', () => {
  it(`${RACES} races of two: one owner each time [I9] [F8]`, { timeout: 3_600_000 }, async () => {
    let both = 0;
    for (let i = 0; i < RACES; i++) {
      const dir = mkdtempSync(join(out, 'race-'));
      const by = i % 2 ? 'file' : 'socket';
      const two = await Promise.all([contend(dir, by), contend(dir, by)]);
      const answers = two.map((t) => t.said).sort();
      if (answers[0] === 'mine') both++;
      expect(answers, `race ${i}`).toEqual(['lock.busy', 'mine']);
      await Promise.all(two.map((t) => end(t.life)));
    }
    console.log(`lock: ${RACES} races, ${both} with two owners`);
  });

  it('takes over within 2 s after kill -9 of the owner [I9] [F8] [R6]', { timeout: 60_000 }, async () => {
    const dir = mkdtempSync(join(out, 'kill-'));
    const times: number[] = [];
    for (let i = 0; i < 6; i++) {
      const by = i % 2 ? 'file' : 'socket';
      const { said, life } = await contend(dir, by);
      expect(said).toBe('mine');
      const busy = await acquireLock(fs, dir, { by });
      expect(busy.ok ? null : [busy.error.code, busy.error.params?.['pid']]).toEqual(['lock.busy', life.pid]);
      await end(life, 'SIGKILL');
      const start = performance.now();
      const mine = await acquireLock(fs, dir, { by });
      times.push(performance.now() - start);
      if (!mine.ok) throw new Error(`not taken over: ${mine.error.code}`);
      await mine.value.release();
    }
    console.log(`lock: takeover after kill -9 in ${times.map((t) => t.toFixed(1)).join(', ')} ms`);
    expect(Math.max(...times)).toBeLessThan(2000);
  });
});
