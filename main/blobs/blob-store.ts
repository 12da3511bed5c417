import { createHash, randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Hash } from '#domain/ids.ts';
import { isHash } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { TEMP_PREFIX } from '#main/fs/atomic.ts';
import { together } from '#main/fs/together.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FileStat, type FsPort } from '#main/ports/fs.ts';
import { realClock } from '#main/ports/real.ts';
import { Checked } from './checked.ts';
import { copyIn } from './copy-in.ts';
import { hashOpen } from './hash-open.ts';
import { SweptBlobs } from './swept.ts';
import type { BlobStore, SweepReport } from './types.ts';

/**
 * Opens the store in `dir` (design §4): `aa/bb/<sha256>`, temp → fsync → rename → fsync folders, the
 * hash of what was stored. Leftover temps of a kill are removed first; they were never a blob. A disk
 * that refuses to be written still gives what is there. Codes: blob.io {errno}.
 */
export async function openBlobStore(fs: FsPort, dir: string, clock: Clock = realClock): Promise<Result<BlobStore>> {
  try {
    const temps = join(dir, 'tmp');
    await fs.mkdir(temps, { recursive: true, mode: 0o700 });
    for (const e of await fs.readdir(temps)) if (e.name.startsWith(TEMP_PREFIX)) await fs.unlink(join(temps, e.name)).catch(() => undefined);
    return ok(new FileBlobStore(fs, dir, await SweptBlobs.open(fs, dir, clock)));
  } catch (cause) {
    return fail('blob.io', { errno: errnoOf(cause) });
  }
}

class FileBlobStore implements BlobStore {
  readonly #fs: FsPort;
  readonly #dir: string;
  readonly #swept: SweptBlobs;
  /** Folders whose names are durable already: a folder is flushed once per process, not per blob. */
  readonly #folders = new Set<string>();
  /** Blobs that this process knows to be durable. */
  readonly #known = new Set<Hash>();
  readonly #checked = new Checked();
  #sweeping: Promise<unknown> | null = null;
  readonly #putting = new Set<Promise<unknown>>();

  constructor(fs: FsPort, dir: string, swept: SweptBlobs) {
    this.#fs = fs;
    this.#dir = dir;
    this.#swept = swept;
  }

  put(bytes: Uint8Array, known?: Hash): Promise<Result<Hash>> {
    return this.#guard(async () => {
      const hash = known ?? (createHash('sha256').update(bytes).digest('hex') as Hash);
      if (await this.#holds(hash, bytes.length)) return hash;
      const temp = this.#temp();
      const file = await this.#fs.open(temp, 'wx', 0o600);
      try {
        try {
          await file.write(bytes, 0);
          await file.datasync();
        } finally {
          await file.close();
        }
        await this.#place(temp, hash, true);
      } catch (cause) {
        await this.#fs.unlink(temp).catch(() => undefined);
        throw cause;
      }
      return hash;
    });
  }

  putFile(path: string): Promise<Result<{ readonly hash: Hash; readonly size: number }>> {
    return this.#guard(async () => {
      const temp = this.#temp();
      try {
        const sum = await copyIn(this.#fs, path, temp);
        if (await this.#holds(sum.hash, sum.size)) await this.#fs.unlink(temp);
        else await this.#place(temp, sum.hash, true);
        return sum;
      } catch (cause) {
        await this.#fs.unlink(temp).catch(() => undefined);
        throw cause;
      }
    });
  }

  async has(hash: Hash): Promise<boolean> {
    return isHash(hash) && (await this.#statOf(hash)) !== null;
  }

  async sizeOf(hash: Hash): Promise<number | null> {
    if (!isHash(hash)) return null;
    const stat = await this.#statOf(hash);
    if (stat) return stat.size;
    const lies = await this.#swept.find(hash);
    return lies === null ? null : this.#fs.lstat(lies).then((s) => s.size, () => null);
  }

  async get(hash: Hash): Promise<Result<Uint8Array>> {
    return this.#read(hash, async (path) => {
      const stat = await this.#fs.lstat(path);
      const bytes = await this.#fs.readFile(path);
      if (createHash('sha256').update(bytes).digest('hex') !== hash) return fail('blob.damaged', { hash });
      this.#checked.note(hash, stat);
      return ok(bytes);
    });
  }

  async pathOf(hash: Hash): Promise<Result<string>> {
    return this.#read(hash, async (path) => ((await this.#isWhole(hash)) ? ok(path) : fail('blob.damaged', { hash })));
  }

  async sweep(isNeeded: (hash: Hash) => boolean): Promise<SweepReport> {
    // New puts wait for the sweep, and the sweep for the puts under way: a blob is never swept while it is put.
    while (this.#sweeping) await this.#sweeping.catch(() => undefined);
    const work = Promise.allSettled([...this.#putting]).then(() => this.#sweepNow(isNeeded));
    this.#sweeping = work;
    try {
      return await work;
    } finally {
      this.#sweeping = null;
    }
  }

  async #sweepNow(isNeeded: (hash: Hash) => boolean): Promise<SweepReport> {
    let swept = 0;
    let bytes = 0;
    const folders = async (dir: string) => (await this.#fs.readdir(dir)).filter((e) => e.kind === 'folder' && /^[0-9a-f]{2}$/.test(e.name)).map((e) => join(dir, e.name));
    for (const a of await folders(this.#dir)) {
      for (const b of await folders(a)) {
        for (const { name } of await this.#fs.readdir(b)) {
          if (!isHash(name) || isNeeded(name)) continue;
          const { size } = await this.#fs.lstat(join(b, name));
          this.#known.delete(name);
          await this.#swept.add(join(b, name), name);
          bytes += size;
          swept++;
        }
      }
    }
    // An event may have been written between the marking and the last sweep: what it refers to was swept, and is needed.
    const giveBack = async (path: string, hash: Hash) => ((await this.#statOf(hash)) ? this.#fs.unlink(path) : this.#place(path, hash, false));
    return { swept, bytes, purged: await this.#swept.purge(isNeeded, giveBack) };
  }

  /** Reads a blob; one that was swept although it is needed comes back from there. */
  async #read<T>(hash: Hash, read: (path: string) => Promise<Result<T>>): Promise<Result<T>> {
    if (!isHash(hash)) return fail('blob.missing', { hash: String(hash) });
    try {
      return await read(this.#path(hash));
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') return fail('blob.io', { errno: errnoOf(cause) });
    }
    const back = await this.#guard(() => this.#restore(hash));
    if (!back.ok) return back;
    if (!back.value) return fail('blob.missing', { hash });
    return read(this.#path(hash)).catch((cause: unknown) => fail('blob.io', { errno: errnoOf(cause) }));
  }

  #statOf(hash: Hash): Promise<FileStat | null> {
    return this.#fs.lstat(this.#path(hash)).catch(() => null);
  }

  #temp(): string {
    return join(this.#dir, 'tmp', TEMP_PREFIX + randomBytes(8).toString('hex'));
  }

  #path(hash: Hash): string {
    return join(this.#folderOf(hash), hash);
  }

  /** True when the blob is there whole. One with another size or other bytes is damage of ours: the good bytes replace it. */
  async #holds(hash: Hash, size: number): Promise<boolean> {
    let stat = await this.#statOf(hash);
    if (stat?.size !== size) stat = (await this.#restore(hash)) ? await this.#statOf(hash) : null;
    if (stat?.size !== size) return false;
    if (!this.#checked.has(hash, stat)) {
      if (!(await this.#isWhole(hash))) return false;
      this.#checked.note(hash, stat);
    }
    // It may stand there un-flushed by a process that died: its name and bytes are made durable again.
    await this.#durable(hash);
    return true;
  }

  async #isWhole(hash: Hash): Promise<boolean> {
    const file = await this.#fs.open(this.#path(hash), 'r');
    try {
      return (await hashOpen(file)).hash === hash;
    } finally {
      await file.close();
    }
  }

  async #durable(hash: Hash): Promise<void> {
    if (this.#known.has(hash)) return;
    const file = await this.#fs.open(this.#path(hash), 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.#named(hash);
  }

  /** Takes a swept blob back into its place. */
  async #restore(hash: Hash): Promise<boolean> {
    const lies = await this.#swept.find(hash);
    if (lies !== null) await this.#place(lies, hash, false);
    return lies !== null;
  }

  /** @param fresh the bytes were hashed as they were written here */
  async #place(temp: string, hash: Hash, fresh: boolean): Promise<void> {
    const folder = this.#folderOf(hash);
    if (!this.#folders.has(folder)) await this.#fs.mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#fs.rename(temp, join(folder, hash));
    const [stat] = await together(this.#statOf(hash), this.#named(hash));
    if (fresh && stat) this.#checked.note(hash, stat);
  }

  /**
   * Makes a blob's name durable, and those of the folders above it that are not known to be. All flushes
   * are under way together, so that the disk's journal takes them in one go; nothing hangs on their order,
   * since nobody is told of the blob before all are done.
   */
  async #named(hash: Hash): Promise<void> {
    const b = this.#folderOf(hash);
    const a = dirname(b);
    const flush = [b];
    if (!this.#folders.has(b)) flush.push(a);
    if (!this.#folders.has(a)) flush.push(this.#dir, dirname(this.#dir));
    await together(...flush.map((folder) => this.#fs.syncDir(folder)));
    this.#folders.add(a).add(b);
    this.#known.add(hash);
  }

  #folderOf(hash: Hash): string {
    return join(this.#dir, hash.slice(0, 2), hash.slice(2, 4));
  }

  async #guard<T>(work: () => Promise<T>): Promise<Result<T>> {
    while (this.#sweeping) await this.#sweeping.catch(() => undefined);
    const running = work();
    this.#putting.add(running);
    try {
      return ok(await running);
    } catch (cause) {
      const errno = errnoOf(cause);
      return fail(errno === 'ENOSPC' || errno === 'EDQUOT' ? 'blob.full' : 'blob.io', { errno });
    } finally {
      this.#putting.delete(running);
    }
  }
}
