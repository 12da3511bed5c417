import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { checkFormat } from '#main/lock/format.ts';
import { acquireLock } from '#main/lock/lock.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { openHistory } from '#main/read-model/history.ts';
import { startLocalSocket } from '#main/server/local-socket.ts';
import { answeringFor } from '#main/workbench/answering.ts';
import { Workbench } from '#main/workbench/workbench.ts';
import { createWorker } from '#main/worker-pool.ts';
import type { DiffWorker } from '#workers/diff/diff-worker.ts';
import { systemLanguage } from './data-dir.ts';
import type { Host } from './host.ts';

/** A diff that takes longer is given up: the panel says so and offers to try again. */
const DIFF_MS = 20_000;

export interface RealWorkbench {
  readonly server: ReturnType<typeof answeringFor>;
  close(): Promise<void>;
}

/**
 * Opens the product on the real disk: format, lock, workbench, and the local socket for the command
 * line. What every host's composition root shares. Codes: data.newer, lock.busy, log.io, blob.io.
 */
export async function openRealWorkbench(options: { readonly dataDir: string; readonly rootDir: string; readonly version: string; readonly host: (fs: FsPort) => Host; readonly socket: boolean }): Promise<Result<RealWorkbench, Failure>> {
  const fs = createNodeFs();
  const { dataDir } = options;
  const format = await checkFormat(fs, dataDir);
  if (!format.ok) return format;
  const lock = await acquireLock(fs, dataDir);
  if (!lock.ok) return lock;
  const platform = process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';
  const worker = createWorker<DiffWorker>(pathToFileURL(join(options.rootDir, 'dist', 'main', 'workers', 'diff.mjs')), realClock);
  const opened = await openWorkbench().catch((cause: unknown): Result<Workbench, Failure> => fail('log.io', { errno: errnoOf(cause) }, String(cause)));
  if (!opened.ok) {
    await worker.close();
    await lock.value.release();
    return opened;
  }
  const server = answeringFor(opened.value);
  const local = options.socket ? await startLocalSocket(server, fs, dataDir) : null;
  let closing: Promise<void> | null = null;
  const close = async () => {
    await local?.close();
    await opened.value.close();
    await worker.close();
    await lock.value.release();
  };
  return ok({ server, close: () => (closing ??= close()) });

  async function openWorkbench(): Promise<Result<Workbench, Failure>> {
    return Workbench.open({
      diff: (before, after) => worker.call((remote) => remote.diffText(before, after), DIFF_MS),
      dataDir: await fs.realpath(dataDir), host: options.host(fs), fs, clock: realClock, random: realRandom, platform, home: homedir(), version: options.version,
      machine: createHash('sha256').update(hostname()).digest('hex').slice(0, 16), locale: systemLanguage(process.env), sampleDir: join(options.rootDir, 'fixtures', 'sample'),
      openHistory,
    });
  }
}
