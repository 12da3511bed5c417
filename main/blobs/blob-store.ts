import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Hash } from '#domain/ids.ts';
import { isHash } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { TEMP_PREFIX } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { BlobStore } from './types.ts';

const CHUNK = 1024 * 1024;

/**
 * Opens the store in `dir` (design §4): `aa/bb/<sha256>`, temp → fsync → rename → fsync folders, the
 * hash of what was stored. Leftover temps of a kill are removed first; they were never a blob.
 */
export async function openBlobStore(fs: FsPort, dir: string): Promise<Result<BlobStore>> {
  try {
    await fs.mkdir(join(dir, 'tmp'), { recursive: true, mode: 0o700 });
    await fs.syncDir(dir);
    for (const e of await fs.readdir(join(dir, 'tmp'))) if (e.name.startsWith(TEMP_PREFIX)) await fs.unlink(join(dir, 'tmp', e.name));
    return ok(new FileBlobStore(fs, dir));
  } catch (cause) {
    return fail('blob.io', { errno: errnoOf(cause) });
  }
}

class FileBlobStore implements BlobStore {
  readonly #fs: FsPort;
  readonly #dir: string;
  /** Folders whose names are durable already: a folder is flushed once per process, not per blob. */
  readonly #folders = new Set<string>();
  #sweeping: Promise<unknown> | null = null;
  #putting = new Set<Promise<unknown>>();

  constructor(fs: FsPort, dir: string) {
    this.#fs = fs;
    this.#dir = dir;
  }

  put(bytes: Uint8Array): Promise<Result<Hash>> {
    return this.#guard(async () => {
      const hash = createHash('sha256').update(bytes).digest('hex') as Hash;
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
        await this.#place(temp, hash);
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
      // The kernel copies first and the private copy is hashed: the source may change meanwhile.
      await this.#fs.copyFile(path, temp);
      try {
        const file = await this.#fs.open(temp, 'r+');
        let sum: { hash: Hash; size: number };
        try {
          sum = await hashOpen(file);
          await file.datasync();
        } finally {
          await file.close();
        }
        await this.#fs.chmod(temp, 0o600);
        if (await this.#holds(sum.hash, sum.size)) await this.#fs.unlink(temp);
        else await this.#place(temp, sum.hash);
        return sum;
      } catch (cause) {
        await this.#fs.unlink(temp).catch(() => undefined);
        throw cause;
      }
    });
  }

  async has(hash: Hash): Promise<boolean> {
    return (await this.sizeOf(hash)) !== null;
  }

  async sizeOf(hash: Hash): Promise<number | null> {
    if (!isHash(hash)) return null;
    try {
      return (await this.#fs.lstat(this.#path(hash))).size;
    } catch {
      return null;
    }
  }

  async get(hash: Hash): Promise<Result<Uint8Array>> {
    if (!isHash(hash)) return fail('blob.missing', { hash: String(hash) });
    try {
      const bytes = await this.#fs.readFile(this.#path(hash));
      if (createHash('sha256').update(bytes).digest('hex') !== hash) return fail('blob.damaged', { hash });
      return ok(bytes);
    } catch (cause) {
      return readFailure(cause, hash);
    }
  }

  async pathOf(hash: Hash): Promise<Result<string>> {
    if (!isHash(hash)) return fail('blob.missing', { hash: String(hash) });
    try {
      const path = this.#path(hash);
      const file = await this.#fs.open(path, 'r');
      try {
        if ((await hashOpen(file)).hash !== hash) return fail('blob.damaged', { hash });
      } finally {
        await file.close();
      }
      return ok(path);
    } catch (cause) {
      return readFailure(cause, hash);
    }
  }

  async sweep(isNeeded: (hash: Hash) => boolean): Promise<{ readonly swept: number; readonly bytes: number }> {
    // New puts wait for the sweep, and the sweep for the puts under way: a blob is never swept between its put and its event.
    while (this.#sweeping) await this.#sweeping;
    const work = (async () => {
      await Promise.allSettled([...this.#putting]);
      return this.#sweepNow(isNeeded);
    })();
    this.#sweeping = work;
    try {
      return await work;
    } finally {
      this.#sweeping = null;
    }
  }

  async #sweepNow(isNeeded: (hash: Hash) => boolean): Promise<{ swept: number; bytes: number }> {
    const bin = join(this.#dir, '.swept');
    await this.#fs.mkdir(bin, { recursive: true, mode: 0o700 });
    let swept = 0;
    let bytes = 0;
    for (const a of await this.#fs.readdir(this.#dir)) {
      if (!/^[0-9a-f]{2}$/.test(a.name)) continue;
      for (const b of await this.#fs.readdir(join(this.#dir, a.name))) {
        for (const f of await this.#fs.readdir(join(this.#dir, a.name, b.name))) {
          if (!isHash(f.name) || isNeeded(f.name)) continue;
          const path = join(this.#dir, a.name, b.name, f.name);
          bytes += (await this.#fs.lstat(path)).size;
          await this.#fs.rename(path, join(bin, f.name));
          swept++;
        }
      }
    }
    return { swept, bytes };
  }

  #temp(): string {
    return join(this.#dir, 'tmp', TEMP_PREFIX + randomBytes(8).toString('hex'));
  }

  #path(hash: Hash): string {
    return join(this.#dir, hash.slice(0, 2), hash.slice(2, 4), hash);
  }

  /** True when the blob is there whole. One with another size or other bytes is damage of ours: the good bytes replace it. */
  async #holds(hash: Hash, size: number): Promise<boolean> {
    if ((await this.sizeOf(hash)) !== size) return false;
    if (!(await this.pathOf(hash)).ok) return false;
    // It may stand there un-flushed by a process that died: its name and bytes are made durable again.
    await this.#durable(hash);
    return true;
  }

  readonly #known = new Set<Hash>();
  async #durable(hash: Hash): Promise<void> {
    if (this.#known.has(hash)) return;
    const file = await this.#fs.open(this.#path(hash), 'r');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.#folder(hash);
    await this.#fs.syncDir(join(this.#dir, hash.slice(0, 2), hash.slice(2, 4)));
    this.#known.add(hash);
  }

  async #place(temp: string, hash: Hash): Promise<void> {
    const folder = await this.#folder(hash);
    await this.#fs.rename(temp, join(folder, hash));
    await this.#fs.syncDir(folder);
    this.#known.add(hash);
  }

  async #folder(hash: Hash): Promise<string> {
    const a = join(this.#dir, hash.slice(0, 2));
    const b = join(a, hash.slice(2, 4));
    if (this.#folders.has(b)) return b;
    await this.#fs.mkdir(b, { recursive: true, mode: 0o700 });
    await this.#fs.syncDir(a);
    if (!this.#folders.has(a)) await this.#fs.syncDir(this.#dir);
    this.#folders.add(a).add(b);
    return b;
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

async function hashOpen(file: { read(into: Uint8Array, offset: number, length: number, position: number): Promise<number> }): Promise<{ hash: Hash; size: number }> {
  const hasher = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK);
  let size = 0;
  for (;;) {
    const n = await file.read(chunk, 0, CHUNK, size);
    if (n === 0) return { hash: hasher.digest('hex') as Hash, size };
    hasher.update(chunk.subarray(0, n));
    size += n;
  }
}

function readFailure(cause: unknown, hash: Hash): { readonly ok: false; readonly error: Failure } {
  return errnoOf(cause) === 'ENOENT' ? fail('blob.missing', { hash }) : fail('blob.io', { errno: errnoOf(cause) });
}
