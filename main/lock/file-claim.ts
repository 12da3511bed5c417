import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { TEMP_PREFIX } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Claim } from './claim.ts';

interface Holder {
  readonly pid: number;
  /** When that process started, as the system prints it: a reused pid has another. */
  readonly started: string;
  readonly released?: true;
}

/** Locks that this process no longer holds, whatever the disk still says. */
const givenUp = new Set<string>();

/**
 * The lock where no name vanishes with its process (macOS): files `lock.1`, `lock.2`, … of which the
 * highest counts. Whoever finds the highest one's holder dead or gone links the next number, which only
 * one can; a number is never used again, so a slow contender can never take what somebody else has taken
 * since. Needs hard links.
 */
export async function claimFile(fs: FsPort, runDir: string, startedOf: (pid: number) => Promise<string | null> = processStart): Promise<Claim | null> {
  await fs.mkdir(runDir, { recursive: true, mode: 0o700 });
  const me: Holder = { pid: process.pid, started: (await startedOf(process.pid)) ?? '' };
  const top = await highest(fs, runDir);
  if (top > 0) {
    const holder = await readHolder(fs, lockPath(runDir, top));
    const givenBack = holder?.released || (holder?.pid === process.pid && givenUp.has(lockPath(runDir, top)));
    if (holder && !givenBack && (await startedOf(holder.pid)) === holder.started) return null;
  }
  const mine = lockPath(runDir, top + 1);
  const temp = join(runDir, TEMP_PREFIX + randomBytes(8).toString('hex'));
  await writeHolder(fs, temp, me, 'wx');
  try {
    await fs.link(temp, mine);
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return null;
    throw cause;
  } finally {
    await fs.unlink(temp).catch(() => undefined);
  }
  for (let old = top; old > 0; old--) if (!(await fs.unlink(lockPath(runDir, old)).then(() => true, () => false))) break;
  return {
    held: async () => (await highest(fs, runDir)) === top + 1,
    // The number stays taken; only its holder is gone.
    release: async () => {
      givenUp.add(mine);
      // Where the disk refuses, the others learn it when this process ends.
      await writeHolder(fs, mine, { ...me, released: true }, 'w').catch(() => undefined);
    },
  };
}

function lockPath(runDir: string, number: number): string {
  return join(runDir, `lock.${number}`);
}

async function highest(fs: FsPort, runDir: string): Promise<number> {
  return Math.max(0, ...(await fs.readdir(runDir)).flatMap((e) => (/^lock\.\d{1,9}$/.test(e.name) ? [Number(e.name.slice(5))] : [])));
}

/** Unreadable counts as held by nobody: its writer died before the link could exist whole. */
async function readHolder(fs: FsPort, path: string): Promise<Holder | null> {
  try {
    return JSON.parse(new TextDecoder().decode(await fs.readFile(path))) as Holder;
  } catch {
    return null;
  }
}

async function writeHolder(fs: FsPort, path: string, holder: Holder, flags: 'w' | 'wx'): Promise<void> {
  const file = await fs.open(path, flags, 0o600);
  try {
    await file.write(new TextEncoder().encode(JSON.stringify(holder)), 0);
  } finally {
    await file.close();
  }
}

/** Start time of a living process in the system's words; null when there is none with that pid. */
export function processStart(pid: number): Promise<string | null> {
  return new Promise((done) => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } }, (failed, out) => done(failed ? null : out.trim() || null));
  });
}
