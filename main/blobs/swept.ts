import { join } from 'node:path';
import type { Hash } from '#domain/ids.ts';
import { isHash } from '#domain/ids.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** Days that a swept blob can still come back (design §4). */
export const SWEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Blobs that nothing needs any more: `.swept/<day>/<hash>`, one folder per day on which something was swept. */
export class SweptBlobs {
  readonly #fs: FsPort;
  readonly #root: string;
  readonly #clock: Clock;
  #days: string[];

  private constructor(fs: FsPort, root: string, clock: Clock, days: string[]) {
    this.#fs = fs;
    this.#root = root;
    this.#clock = clock;
    this.#days = days;
  }

  static async open(fs: FsPort, storeDir: string, clock: Clock): Promise<SweptBlobs> {
    const root = join(storeDir, '.swept');
    const entries = await fs.readdir(root).catch((cause: unknown) => {
      if (errnoOf(cause) === 'ENOENT') return [];
      throw cause;
    });
    return new SweptBlobs(fs, root, clock, entries.filter((e) => e.kind === 'folder' && /^\d{4}-\d\d-\d\d$/.test(e.name)).map((e) => e.name));
  }

  /** Moves a blob here. */
  async add(path: string, hash: Hash): Promise<void> {
    const day = new Date(this.#clock.now()).toISOString().slice(0, 10);
    const folder = join(this.#root, day);
    if (!this.#days.includes(day)) {
      await this.#fs.mkdir(folder, { recursive: true, mode: 0o700 });
      this.#days.push(day);
    }
    await this.#fs.rename(path, join(folder, hash));
  }

  /** Where a swept blob lies, or null. */
  async find(hash: Hash): Promise<string | null> {
    for (const day of this.#days) {
      const path = join(this.#root, day, hash);
      if (await this.#fs.lstat(path).then(() => true, () => false)) return path;
    }
    return null;
  }

  /**
   * Ends the days that are over: what lay here for longer than {@link SWEPT_DAYS} is removed, except what is needed
   * again, which goes to `giveBack`. A clock that went back removes nothing. Returns how many are gone for good.
   */
  async purge(isNeeded: (hash: Hash) => boolean, giveBack: (path: string, hash: Hash) => Promise<void>): Promise<number> {
    let purged = 0;
    for (const day of [...this.#days]) {
      if (this.#clock.now() - Date.parse(day) <= (SWEPT_DAYS + 1) * DAY_MS) continue;
      const folder = join(this.#root, day);
      for (const { name } of await this.#fs.readdir(folder)) {
        if (!isHash(name)) continue;
        if (isNeeded(name)) {
          await giveBack(join(folder, name), name);
          continue;
        }
        await this.#fs.unlink(join(folder, name));
        purged++;
      }
      await this.#fs.rmdir(folder).catch(() => undefined);
      this.#days = this.#days.filter((d) => d !== day);
    }
    return purged;
  }
}
