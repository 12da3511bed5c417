import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { realClock } from '#main/ports/real.ts';
import type { Claim } from './claim.ts';
import { claimFile } from './file-claim.ts';
import { readOwner, removeOwner, writeOwner, type Owner } from './owner.ts';
import { claimSocket, socketName } from './socket-claim.ts';

/** How often the owner writes a sign of life. */
export const BEAT_MS = 15_000;

/** The data folder is ours until `release` or the end of the process, however it ends. */
export interface Lock {
  readonly owner: Owner;
  /** Tells others where this process answers; null takes it back. */
  setEndpoint(endpoint: string | null): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

export interface LockOptions {
  readonly clock?: Clock;
  /** `file` is what macOS uses; the others have names that vanish with their process. */
  readonly by?: 'socket' | 'file';
}

/**
 * Takes the one lock of a data folder (design §7, I9): window, web host and command line share it. The
 * folder must exist. Check its format first ({@link checkFormat}): this writes `run/owner.json`.
 * Codes: lock.busy {pid, endpoint} (what `owner.json` says, 0 and '' when it says nothing), lock.io {errno}.
 */
export async function acquireLock(fs: FsPort, dataDir: string, options: LockOptions = {}): Promise<Result<Lock>> {
  const clock = options.clock ?? realClock;
  const by = options.by ?? (process.platform === 'darwin' ? 'file' : 'socket');
  let claim: Claim | null = null;
  try {
    const real = await fs.realpath(dataDir);
    claim = by === 'file' ? await claimFile(fs, join(real, 'run')) : await claimSocket(socketName(real));
    if (claim === null) {
      const owner = await readOwner(fs, dataDir);
      return fail('lock.busy', { pid: owner?.pid ?? 0, endpoint: owner?.endpoint ?? '' });
    }
    const now = new Date(clock.now()).toISOString();
    const lock = new HeldLock(fs, dataDir, clock, claim, { pid: process.pid, since: now, beat: now, endpoint: null });
    try {
      await lock.tell();
    } catch (cause) {
      // The heartbeat runs already: it must not keep a process that failed alive.
      await lock.release();
      throw cause;
    }
    return ok(lock);
  } catch (cause) {
    await claim?.release().catch(() => undefined);
    return fail('lock.io', { errno: errnoOf(cause) });
  }
}

class HeldLock implements Lock {
  readonly #fs: FsPort;
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #claim: Claim;
  #owner: Owner;
  #stopBeat: () => void = () => undefined;
  #writing: Promise<void> = Promise.resolve();
  #released: Promise<void> | null = null;

  constructor(fs: FsPort, dir: string, clock: Clock, claim: Claim, owner: Owner) {
    this.#fs = fs;
    this.#dir = dir;
    this.#clock = clock;
    this.#claim = claim;
    this.#owner = owner;
    this.#schedule();
  }

  get owner(): Owner {
    return this.#owner;
  }

  setEndpoint(endpoint: string | null): Promise<void> {
    this.#owner = { ...this.#owner, endpoint };
    return this.tell();
  }

  /** One write after another: the last word is the newest. */
  tell(): Promise<void> {
    const next = this.#writing.catch(() => undefined).then(() => (this.#released ? undefined : writeOwner(this.#fs, this.#dir, this.#owner)));
    this.#writing = next;
    return next;
  }

  release(): Promise<void> {
    this.#released ??= (async () => {
      this.#stopBeat();
      await this.#writing.catch(() => undefined);
      // Before the name is free: afterwards the file may already be the next owner's.
      await removeOwner(this.#fs, this.#dir);
      await this.#claim.release();
    })();
    return this.#released;
  }

  #schedule(): void {
    this.#stopBeat = this.#clock.after(BEAT_MS, () => {
      this.#owner = { ...this.#owner, beat: new Date(this.#clock.now()).toISOString() };
      // A full disk must not end the owner: the lock does not hang on this file.
      void this.tell().catch(() => undefined);
      this.#schedule();
    });
  }
}
