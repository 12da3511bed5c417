import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { verifyLog } from '#main/log/verify.ts';
import type { EventLog } from '#main/log/types.ts';
import { openHistory } from '#main/read-model/history.ts';
import { appendIds, checkpoint, erased, idsOf, message, named, openLog, runOf, seeded, told } from '#test/support/fs/log-world.ts';

const fs = createNodeFs();
const mount = (dir: string, options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir], { stdio: 'ignore' });

/** Needs the right to mount; log-calls.test.ts covers the same at the port without it. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const dir = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    mount(dir, 'size=64k');
    execFileSync('umount', [dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

describe.skipIf(!canMount())('a data folder on a disk that is really full', () => {
  let disk: string;
  let dir: string;
  const room = (size: string) => execFileSync('mount', ['-o', `remount,size=${size}`, disk]);
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'full-'));
    mount(disk, 'size=256k');
    dir = join(disk, 'data', 'partners', 'p1');
  });
  afterEach(() => {
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });

  const openBlobs = async (): Promise<BlobStore> => {
    const blobs = await openBlobStore(fs, join(disk, 'data', 'blobs'));
    if (!blobs.ok) throw new Error(blobs.error.code);
    return blobs.value;
  };
  const problems = async (blobs?: BlobStore) => {
    const report = await verifyLog({ fs, dir, ...(blobs ? { blobs } : {}) }, 'full');
    return report.ok ? report.value.problems : report.error.code;
  };
  /** Appends until the disk refuses; the ids that were acknowledged. */
  const fill = async (log: EventLog, size: number): Promise<string[]> => {
    const acked: string[] = [];
    for (let i = 0; i < 3000; i++) {
      const done = await appendIds(log, [message(`${i} ${'x'.repeat(size)}`)]);
      if (typeof done === 'string') {
        expect(done).toBe('log.full');
        return acked;
      }
      acked.push(...done);
    }
    throw new Error('the disk is never full');
  };

  for (const size of process.env['NIGHTLY'] ? Array.from({ length: 40 }, (_, i) => 10 + i * 701) : [10, 900, 5000, 27_000]) {
    it(`lines of ${size} letters: says so, keeps every acknowledged event, goes on when there is room, without a restart [I1] [I2] [F7] [R8] [case 51]`, async () => {
      const log = await openLog(fs, dir);
      const acked = await fill(log, size);
      expect(acked.length).toBeGreaterThan(3);
      expect(await idsOf(log)).toEqual(acked);
      // Still full: refused again, and nothing breaks by it.
      expect(await appendIds(log, [message('x'.repeat(size))])).toBe('log.full');
      expect(log.mode).toBe('open');
      room('2m');
      const back = await appendIds(log, [message('room again')]);
      expect(back).toHaveLength(1);
      expect(await idsOf(log)).toEqual([...acked, ...back]);
      await log.close();
      const again = await openLog(fs, dir);
      expect([again.mode, again.findings, await idsOf(again)]).toEqual(['open', [], [...acked, ...back]]);
      await again.close();
      expect(await problems()).toEqual([]);
    });
  }

  it('is opened full, is read, and goes on when there is room [I1] [I8] [F7]', async () => {
    const log = await openLog(fs, dir);
    const acked = await fill(log, 500);
    await log.close();
    writeFileSync(join(disk, 'filler'), '');
    try {
      for (;;) writeFileSync(join(disk, 'filler'), 'x'.repeat(512), { flag: 'a' });
    } catch {
      // Now it is full to the last page.
    }
    const full = await openLog(fs, dir);
    expect(await idsOf(full)).toEqual(acked);
    expect(full.findings).toEqual([]);
    unlinkSync(join(disk, 'filler'));
    room('2m');
    const back = await appendIds(full, [message('room again')]);
    expect(back).toHaveLength(1);
    await full.close();
    expect(await idsOf(await openLog(fs, dir))).toEqual([...acked, ...back]);
  });

  it('keeps the read model right while it cannot be written [F7]', async () => {
    const log = await openLog(fs, dir);
    const history = await openHistory({ dir, log, fs });
    const random = seeded(4);
    let turns = 0;
    for (;;) {
      const done = await log.append([message('x'.repeat(700), runOf(random))]).durable;
      if (!done.ok) break;
      turns++;
      history.note(done.value as never);
    }
    const page = await history.page({ limit: 1000 });
    expect(page.turns).toHaveLength(turns);
    await history.close();
    await log.close();
    room('4m');
    const again = await openLog(fs, dir);
    const reopened = await openHistory({ dir, log: again, fs });
    expect(await reopened.page({ limit: 1000 })).toEqual(page);
    await reopened.close();
    await again.close();
  });

  it('refuses a blob that does not fit, leaves no half of it, and takes it when there is room [I3] [I12] [F7] [R8]', async () => {
    const blobs = await openBlobs();
    const log = await openLog(fs, dir);
    const source = join(mkdtempSync(join(tmpdir(), 'source-')), 'a.bin');
    writeFileSync(source, 'y'.repeat(200_000));
    const kept = await blobs.put(Buffer.from('z'.repeat(100_000)));
    if (!kept.ok) throw new Error(kept.error.code);
    const acked = (await appendIds(log, [told(kept.value)])) as string[];
    expect(await blobs.put(Buffer.from('w'.repeat(200_000)))).toMatchObject({ error: { code: 'blob.full' } });
    expect(await blobs.putFile(source)).toMatchObject({ error: { code: 'blob.full' } });
    expect(await fs.readdir(join(disk, 'data', 'blobs', 'tmp'))).toEqual([]);
    acked.push(...((await appendIds(log, [named('still works')])) as string[]));
    expect(await problems(blobs)).toEqual([]);
    room('2m');
    const file = await blobs.putFile(source);
    expect(file.ok && file.value.size).toBe(200_000);
    expect(await idsOf(log)).toEqual(acked);
    await log.close();
    rmSync(source);
  });

  it('cannot erase without room, keeps everything readable, and erases when there is room [I1] [F7]', async () => {
    const log = await openLog(fs, dir);
    mkdirSync(join(disk, 'spare'));
    writeFileSync(join(disk, 'spare', 'a'), 'x'.repeat(20_000));
    const acked = await fill(log, 3000);
    unlinkSync(join(disk, 'spare', 'a'));
    const erasure = (await appendIds(log, [erased(log.origin, 1, 20)])) as string[];
    expect(erasure).toHaveLength(1);
    expect(await log.erase()).toMatchObject({ error: { code: 'log.full' } });
    expect(await idsOf(log)).toEqual([...acked, ...erasure]);
    room('4m');
    expect((await log.erase()).ok).toBe(true);
    const more = (await appendIds(log, [checkpoint('after')])) as string[];
    await log.close();
    const again = await openLog(fs, dir);
    expect([again.findings, await idsOf(again)]).toEqual([[], [...acked, ...erasure, ...more]]);
    let gone = 0;
    for await (const event of again.readMerged()) if (event.erasedBy === erasure[0]) gone++;
    expect(gone).toBe(20);
    expect(await problems()).toEqual([]);
  });
});
