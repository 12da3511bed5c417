import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { verifyLog } from '#main/log/verify.ts';
import type { KillJob } from '#test/support/fs/kill-child.ts';
import { idsOf, openLog, seeded } from '#test/support/fs/log-world.ts';
import { rooted } from '#test/support/fs/rooted.ts';
import { DATA, DIR, judge } from '#test/support/fs/workloads.ts';

const NIGHTLY = Boolean(process.env['NIGHTLY']);
const KILLS = NIGHTLY ? 10_000 : 510;
/** Kills of one folder before the next begins empty: each judges the whole log. */
const LIVES = 17;

const out = mkdtempSync(join(tmpdir(), 'log-kill-'));
const child = join(out, 'child.mjs');
beforeAll(() => build({ entryPoints: [fileURLToPath(new URL('../support/fs/kill-child.ts', import.meta.url))], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: child, logLevel: 'silent' }), 60_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

let bases = 0;
function freshBase(): string {
  const base = join(out, `data-${++bases}`);
  mkdirSync(base + DATA, { recursive: true });
  return base;
}

interface Life {
  readonly said: readonly string[];
  readonly killed: boolean;
  readonly errors: string;
}

/** Runs a child; with `killAfter` it is killed once it has acknowledged that many events. */
function live(job: KillJob, killAfter = Infinity): Promise<Life> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, JSON.stringify(job)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    let errors = '';
    let lines = 0;
    process_.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const byte of chunk) if (byte === 0x0a) lines++;
      if (lines >= killAfter) process_.kill('SIGKILL');
    });
    process_.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    process_.on('error', reject);
    process_.on('close', (_code, signal) => resolve({ said: text.split('\n').slice(0, -1), killed: signal === 'SIGKILL', errors }));
  });
}

/** What is wrong with a folder after a kill; `seen` are the events that an earlier judgement read, in order. */
async function judgeLife(base: string, seen: readonly string[], acked: readonly string[]): Promise<{ readonly wrong: string | null; readonly ids: readonly string[]; readonly torn: boolean }> {
  const fs = rooted(createNodeFs(), base);
  const blobs = await openBlobStore(fs, `${DATA}/blobs`);
  const log = await openLog(fs, DIR);
  const ids = await idsOf(log);
  const torn = log.findings.some((f) => f.kind === 'tornTail');
  const wrong = await (async () => {
    const other = log.findings.find((f) => f.kind !== 'tornTail');
    if (other) return `finding ${JSON.stringify(other)}`;
    if (log.mode !== 'open') return 'read-only';
    if (seen.some((id, i) => ids[i] !== id)) return 'an event that was read before is gone or moved';
    const places = acked.map((id) => ids.indexOf(id as never, seen.length));
    if (places.includes(-1)) return `acknowledged event ${places.indexOf(-1) + 1} of ${acked.length} is gone`;
    if (places.some((p, i) => i > 0 && p <= places[i - 1]!)) return 'out of order';
    if (new Set(ids).size !== ids.length) return 'read twice';
    if (!blobs.ok) return blobs.error.code;
    if ((await fs.readdir(`${DATA}/blobs/tmp`)).length > 0) return 'a temp was left';
    const report = await verifyLog({ fs, dir: DIR, blobs: blobs.value }, 'full');
    if (!report.ok) return report.error.code;
    return report.value.problems.length > 0 ? JSON.stringify(report.value.problems[0]) : null;
  })();
  await log.close();
  return { wrong, ids, torn };
}

interface Tally {
  kills: number;
  acked: number;
  torn: number;
}

/** One folder's lives, each ended by a kill after a random number of acknowledgements. */
async function lives(seed: number, count: number, tally: Tally, early = false): Promise<string | null> {
  const random = seeded(seed);
  const base = freshBase();
  let seen: readonly string[] = [];
  for (let i = 0; i < count; i++) {
    const { said, killed, errors } = await live({ base, seed: seed * 1000 + i, early }, 1 + random.below(60));
    const label = `seed ${seed}, life ${i + 1}, kept in ${base}`;
    if (!killed) return `${label}: ended by itself: ${errors}`;
    const { wrong, ids, torn } = await judgeLife(base, seen, said);
    tally.kills++;
    tally.acked += said.length;
    if (torn) tally.torn++;
    if (wrong !== null) return `${label}: ${wrong}`;
    seen = ids;
  }
  rmSync(base, { recursive: true });
  return null;
}

describe('kill -9 of a process that appends and keeps blobs', () => {
  it(`loses nothing acknowledged and leaves nothing half, ${KILLS} times [I1] [I2] [I3] [I7] [I12] [F1] [R1]`, { timeout: NIGHTLY ? 3_600_000 : 600_000 }, async () => {
    const tally: Tally = { kills: 0, acked: 0, torn: 0 };
    const folders = Math.ceil(KILLS / LIVES);
    let next = 1;
    await Promise.all(
      Array.from({ length: 2 }, async () => {
        while (next <= folders) expect(await lives(next++, LIVES, tally)).toBe(null);
      }),
    );
    console.log(`kill -9: ${tally.kills} kills, ${tally.acked} events acknowledged, 0 lost, ${tally.torn} torn tails cut`);
    expect(tally.kills).toBeGreaterThanOrEqual(KILLS);
    expect(tally.torn).toBeGreaterThan(0);
  });

  it('catches a log that acknowledges before it writes [F1]', { timeout: 60_000 }, async () => {
    const tally: Tally = { kills: 0, acked: 0, torn: 0 };
    let caught: string | null = null;
    for (let seed = 5001; caught === null && tally.kills < 60; seed++) caught = await lives(seed, 5, tally, true);
    expect(caught).toMatch(/acknowledged event \d+ of \d+ is gone/);
  });
});

describe('kill -9 before every call', () => {
  for (const workload of ['append', 'blobThenEvent', 'putFile', 'sweepAndBack', 'erase', 'roll'] as const) {
    it(`${workload}: nothing acknowledged is lost, the next start finishes what was begun [I1] [I2] [I3] [I7] [I12] [F1b]`, { timeout: 600_000 }, async () => {
      const calm = await live({ base: freshBase(), seed: 1, workload, n: 0 });
      expect(calm.errors).toBe('');
      const calls = Number(calm.said.at(-1)?.split(' ')[1]);
      expect(calls).toBeGreaterThan(10);
      let next = 1;
      const worker = async () => {
        while (next <= calls) {
          const n = next++;
          const base = freshBase();
          const { said, killed } = await live({ base, seed: n, workload, n });
          expect(killed, `call ${n}`).toBe(true);
          expect(await judge(rooted(createNodeFs(), base), said), `call ${n} of ${workload}, kept in ${base}`).toBe(null);
          rmSync(base, { recursive: true });
        }
      };
      await Promise.all([worker(), worker()]);
      console.log(`kill -9 before every call, ${workload}: ${calls} kills`);
    });
  }
});
