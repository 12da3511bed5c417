import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { claimFile } from '#main/lock/file-claim.ts';
import { checkFormat, DATA_FORMAT } from '#main/lock/format.ts';
import { acquireLock, BEAT_MS } from '#main/lock/lock.ts';
import { readOwner } from '#main/lock/owner.ts';

const fs = createNodeFs();
const folders: string[] = [];
const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), 'lock-'));
  folders.push(dir);
  return dir;
};
afterEach(() => folders.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));

describe('the lock of a data folder', () => {
  for (const by of ['socket', 'file'] as const) {
    it(`gives it to one owner at a time, by ${by} [I9]`, async () => {
      const dir = folder();
      const first = await acquireLock(fs, dir, { by });
      if (!first.ok) throw new Error(first.error.code);
      await first.value.setEndpoint('http://127.0.0.1:1');
      const second = await acquireLock(fs, dir, { by });
      expect(second).toEqual({ ok: false, error: { code: 'lock.busy', params: { pid: process.pid, endpoint: 'http://127.0.0.1:1' } } });
      await first.value.release();
      await first.value.release();
      const third = await acquireLock(fs, dir, { by });
      expect(third.ok).toBe(true);
      if (third.ok) await third.value.release();
    });
  }

  it.skipIf(process.platform === 'win32')('is the same lock through a link to the folder [I9]', async () => {
    const dir = folder();
    const link = join(folder(), 'alias');
    symlinkSync(dir, link);
    const first = await acquireLock(fs, dir, { by: 'socket' });
    const second = await acquireLock(fs, link, { by: 'socket' });
    expect([first.ok, second.ok]).toEqual([true, false]);
    if (first.ok) await first.value.release();
  });

  it('writes owner.json for its user only and beats', async () => {
    const dir = folder();
    let now = 1_000_000;
    let beat = () => {};
    const clock = { now: () => now, after: (ms: number, callback: () => void) => (expect(ms).toBe(BEAT_MS), (beat = callback), () => (beat = () => {})) };
    const lock = await acquireLock(fs, dir, { clock });
    if (!lock.ok) throw new Error(lock.error.code);
    if (process.platform !== 'win32') expect(statSync(join(dir, 'run', 'owner.json')).mode & 0o777).toBe(0o600);
    const before = await readOwner(fs, dir);
    now += BEAT_MS;
    beat();
    await lock.value.setEndpoint(null);
    const after = await readOwner(fs, dir);
    expect(Date.parse(after!.beat) - Date.parse(before!.beat)).toBe(BEAT_MS);
    expect(after!.since).toBe(before!.since);
    await lock.value.release();
    expect(await readOwner(fs, dir)).toBe(null);
  });

  it('does not take a reused pid for the owner [I9]', async () => {
    const run = join(folder(), 'run');
    const first = await claimFile(fs, run, async () => 'Monday');
    expect(first).not.toBe(null);
    expect(await claimFile(fs, run, async () => 'Monday')).toBe(null);
    const later = await claimFile(fs, run, async () => 'Tuesday');
    expect(later).not.toBe(null);
    expect(await first!.held()).toBe(false);
    expect(readdirSync(run)).toEqual(['lock.2']);
  });

  it('lets one of two win who both found the same dead owner [I9]', async () => {
    const run = join(folder(), 'run');
    mkdirSync(run);
    writeFileSync(join(run, 'lock.7'), JSON.stringify({ pid: 999_999_999, started: 'long ago' }));
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimFile(fs, run, async (pid) => (pid === process.pid ? 'now' : null))));
    expect(claims.filter((c) => c !== null)).toHaveLength(1);
  });
});

describe('the format of a data folder', () => {
  it('is written where it is missing', async () => {
    const dir = join(folder(), 'data');
    expect(await checkFormat(fs, dir)).toEqual({ ok: true, value: { format: DATA_FORMAT, fresh: true } });
    expect(await checkFormat(fs, dir)).toEqual({ ok: true, value: { format: DATA_FORMAT, fresh: false } });
    expect(JSON.parse(readFileSync(join(dir, 'format.json'), 'utf8'))).toEqual({ format: 1 });
  });

  it('refuses a newer one and writes nothing [WB-COMPOSER-012-AC4]', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'format.json'), '{"format":2}');
    const before = statSync(dir).mtimeMs;
    expect(await checkFormat(fs, dir)).toEqual({ ok: false, error: { code: 'data.newer', params: { detected: 2, supported: 1 } } });
    expect(readdirSync(dir)).toEqual(['format.json']);
    expect(statSync(dir).mtimeMs).toBe(before);
  });

  it('refuses one that makes no sense and leaves it as it is', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'format.json'), 'not json');
    const found = await checkFormat(fs, dir);
    expect(found.ok ? null : found.error.code).toBe('data.unreadable');
    expect(readFileSync(join(dir, 'format.json'), 'utf8')).toBe('not json');
  });
});
