import { writeSync } from 'node:fs';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { watched } from './calls.ts';
import { CHANGES } from './faults.ts';
import { checkpoint, fixedClock, message, named, openLog, seeded, told } from './log-world.ts';
import { rooted } from './rooted.ts';
import { append, blobThenEvent, DATA, DIR, erase, putFile, roll, sweepAndBack } from './workloads.ts';

export const KILL_WORKLOADS = { append, blobThenEvent, erase, putFile, roll, sweepAndBack };

/** One workload with a kill before the `n`th call that changes the disk (0: none), or work without end until the parent kills. */
export interface KillJob {
  readonly base: string;
  readonly seed: number;
  readonly workload?: keyof typeof KILL_WORKLOADS;
  readonly n?: number;
  /** The planted bug: acknowledges what is only enqueued. */
  readonly early?: boolean;
}

/** Straight to the pipe: what is said is out before the next call. */
const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Writes a line piece by piece first, as a kernel may: a kill between two leaves half of it. */
function inPieces(fs: FsPort, size: number): FsPort {
  return watched(fs, {
    before: (call, direct) => {
      if (call.name !== 'file.writeNow') return;
      const [bytes, position] = call.args as [Uint8Array, number];
      for (let at = 0; at < bytes.length; at += size) direct(bytes.subarray(at, at + size), position + at);
    },
  });
}

function dyingAt(fs: FsPort, n: number): FsPort {
  let changes = 0;
  const port = watched(fs, {
    before: (call) => {
      if (CHANGES.has(call.name) && ++changes === n) process.kill(process.pid, 'SIGKILL');
    },
  });
  process.on('exit', () => say(`calls ${changes}`));
  return port;
}

/** Appends messages alone and together, checkpoints, and blobs with their events, as fast as the disk takes them. */
async function workOn(fs: FsPort, job: KillJob): Promise<never> {
  const random = seeded(job.seed);
  const opened = await openBlobStore(fs, `${DATA}/blobs`, fixedClock());
  if (!opened.ok) throw new Error(opened.error.code);
  const log = await openLog(fs, DIR, { random });
  const add = async (drafts: Parameters<typeof log.append>[0]) => {
    const { tentative, durable } = log.append(drafts);
    if (job.early) for (const e of tentative) say(e.id);
    const done = await durable;
    if (!done.ok) throw new Error(done.error.code);
    if (!job.early) for (const e of done.value) say(e.id);
  };
  const text = () => 'x'.repeat(random.below(2000));
  for (;;) {
    const dice = random.below(10);
    if (dice < 4) await add([message(text())]);
    else if (dice < 6) await Promise.all(Array.from({ length: 1 + random.below(8) }, () => add([message(text()), named('n')])));
    else if (dice < 8) void log.append([checkpoint(text())], { durable: false });
    else {
      const hash = await opened.value.put(random.bytes(1 + random.below(5000)));
      if (!hash.ok) throw new Error(hash.error.code);
      await add([told(hash.value)]);
    }
  }
}

const job = JSON.parse(process.argv[2]!) as KillJob;
const disk = rooted(createNodeFs(), job.base);
if (job.workload) await KILL_WORKLOADS[job.workload](dyingAt(disk, job.n ?? 0), say);
else await workOn(inPieces(disk, 37 + (job.seed % 400)), job);
