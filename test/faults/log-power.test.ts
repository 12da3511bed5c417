import { describe, expect, it } from 'vitest';
import type { FsPort } from '#main/ports/fs.ts';
import { errno, watched } from '#test/support/fs/calls.ts';
import { copyTree, crashStates } from '#test/support/fs/crash.ts';
import { memoryFs, type MemoryFs } from '#test/support/fs/memory-fs.ts';
import { append, appendSlowly, blobThenEvent, DATA, erase, eventThenBlob, fillSegment, judge, putFile, rollOver, sweepAndBack, type Workload } from '#test/support/fs/workloads.ts';

interface Outcome {
  readonly states: number;
  readonly bad: number;
  readonly first: string | null;
}

/** Runs a workload on a recorded disk and judges every state that a power loss could leave. */
async function powerLoss(workload: Workload, port: (disk: MemoryFs) => FsPort = (disk) => disk): Promise<Outcome> {
  const disk = memoryFs();
  await disk.mkdir(DATA);
  await disk.syncDir('/');
  await workload(port(disk), disk.ack);
  let states = 0;
  let bad = 0;
  let first: string | null = null;
  for (const { fs, acked, label } of crashStates(disk.trace)) {
    states++;
    const wrong = await judge(fs, acked).catch((cause: unknown) => String(cause));
    if (wrong === null) continue;
    bad++;
    first ??= `${label}: ${wrong}`;
  }
  return { states, bad, first };
}

const noSync = (disk: MemoryFs): FsPort => watched(disk, { instead: (c) => (c.name === 'file.sync' || c.name === 'file.datasync' ? () => undefined : undefined) });
const noSyncDir = (disk: MemoryFs): FsPort => watched(disk, { instead: (c) => (c.name === 'syncDir' ? () => undefined : undefined) });
/** The nth fsync of a log fails for real: its pages never reach the disk. `told` says whether the caller learns of it. */
const failedSync = (nth: number, told: boolean, failed = () => {}) => (disk: MemoryFs): FsPort => {
  let seen = 0;
  return watched(disk, {
    instead: (c) =>
      c.name === 'file.datasync' && c.path.endsWith('.jsonl') && ++seen === nth
        ? () => {
            failed();
            disk.losePages(c.path);
            if (told) throw errno('EIO');
          }
        : undefined,
  });
};

const workloads: readonly (readonly [string, Workload])[] = [['append', append], ['append on a slow disk', appendSlowly], ['blob then event', blobThenEvent], ['a file kept as a blob, then event', putFile], ['a blob swept and needed again', sweepAndBack], ['erase', erase]];

describe('power loss at every call', () => {
  for (const [name, workload] of workloads) {
    it(`${name}: loses nothing acknowledged, keeps the chain and every needed blob [I1] [I2] [I3] [I7] [F2]`, { timeout: 120_000 }, async () => {
      const { states, bad, first } = await powerLoss(workload);
      console.log(`power loss, ${name}: ${states} states, ${bad} bad`);
      expect(first).toBe(null);
      expect(states).toBeGreaterThan(40);
    });
  }

  it('segment roll, from the lines before it to those after it: loses nothing acknowledged [I1] [I2] [F2]', { timeout: 300_000 }, async () => {
    const full = memoryFs();
    await full.mkdir(DATA);
    const before: string[] = [];
    await fillSegment(full, (what) => before.push(what));
    const base = copyTree(full.root);
    const disk = memoryFs(copyTree(base));
    await rollOver(disk, disk.ack);
    expect(disk.trace.some((o) => o.op === 'name' && o.name === '00000002.jsonl')).toBe(true);
    let states = 0;
    for (const { fs, acked, label } of crashStates(disk.trace, { base })) {
      states++;
      expect(await judge(fs, [...before, ...acked]), label).toBe(null);
    }
    console.log(`power loss, segment roll: ${states} states`);
    expect(states).toBeGreaterThan(40);
  });

  it('power loss during the recovery from a power loss loses nothing either [I1] [I8] [F14]', { timeout: 120_000 }, async () => {
    let states = 0;
    for (const workload of [append, erase]) {
      const disk = memoryFs();
      await disk.mkdir(DATA);
      await disk.syncDir('/');
      await workload(disk, disk.ack);
      let i = 0;
      for (const first of crashStates(disk.trace)) {
        // Each third state: recovery goes on in the next, which is much like it.
        if (i++ % (process.env['NIGHTLY'] ? 1 : 3) !== 0) continue;
        const again = memoryFs(copyTree(first.fs.root));
        expect(await judge(again, first.acked)).toBe(null);
        for (const second of crashStates(again.trace, { base: first.fs.root })) {
          states++;
          expect(await judge(second.fs, first.acked), `${first.label}, then ${second.label}`).toBe(null);
        }
      }
    }
    console.log(`power loss during recovery: ${states} states`);
  });

  it('a failing fsync of the log at every place: what was acknowledged after it is there [I1] [F6]', { timeout: 120_000 }, async () => {
    for (let nth = 1; ; nth++) {
      let failed = false;
      const { first } = await powerLoss(append, failedSync(nth, true, () => void (failed = true)));
      expect(first, `fsync ${nth}`).toBe(null);
      if (failed) continue;
      expect(nth).toBeGreaterThan(5);
      break;
    }
  });
});

describe('planted bugs are caught by the same states', () => {
  const planted: readonly (readonly [string, Workload, ((disk: MemoryFs) => FsPort)?])[] = [
    ['an fsync that does nothing', append, noSync],
    ['an fsync that does nothing, of blobs', blobThenEvent, noSync],
    ['no fsync of folders', append, noSyncDir],
    ['no fsync of folders, of blobs', blobThenEvent, noSyncDir],
    ['the event before its blob', eventThenBlob],
    ['going on after a failed fsync', append, failedSync(2, false)],
    ['going on after a failed fsync of a slow disk', appendSlowly, failedSync(2, false)],
    ['no fsync of the copy of a file', putFile, noSync],
    ['no fsync of folders when a swept blob comes back', sweepAndBack, noSyncDir],
    ['an erasure that is renamed before it is synced', erase, noSync],
  ];
  for (const [name, workload, port] of planted) {
    it(`${name} [F2]`, { timeout: 120_000 }, async () => {
      const { states, bad, first } = await powerLoss(workload, port);
      console.log(`planted, ${name}: ${bad} of ${states} states bad, first ${first}`);
      expect(bad).toBeGreaterThan(0);
    });
  }
});
