import { dirname } from 'node:path';
import type { Hash } from '#domain/ids.ts';
import { errnoOf, type FsPort, type OpenFile } from '#main/ports/fs.ts';
import { joined } from './line.ts';
import type { OriginLog, SegmentInfo } from './origin-log.ts';
import { pathOf, SEGMENT_BYTES } from './segments.ts';
import { BlockBuilder, sidecarPath, writeSidecar } from './sidecar.ts';

/** A flush that took longer was a slow one. */
const QUICK_MS = 4;
/** After a slow flush so many are not waited for in place; twice as many each time the next one is slow too. */
const SLOW_FLUSHES = 32;
const MOST_SLOW_FLUSHES = 4096;

/** The end of an origin as of some line. */
export interface Mark {
  readonly seq: number;
  readonly hash: Hash;
  readonly lamport: number;
}

/**
 * Writes one origin's segments. Knows which bytes are written and which are synced; after any error
 * {@link cut} takes back whatever is not synced and {@link repair} takes it off the disk. Calls never
 * overlap: the log's queue sees to that.
 */
export class SegmentWriter {
  readonly #fs: FsPort;
  readonly #own: OriginLog;
  #file: OpenFile | null = null;
  /** The segment that `#file` belongs to, or belonged to when something failed. */
  #current: SegmentInfo | null = null;
  #syncedSize = 0;
  #written: Mark;
  #synced: Mark;
  /** The next line starts a new segment. */
  #fresh = false;
  /** Flushes that are left to the thread pool before one is tried in place again. */
  #patience = 0;
  #nextPatience = SLOW_FLUSHES;

  constructor(fs: FsPort, own: OriginLog) {
    this.#fs = fs;
    this.#own = own;
    this.#written = this.#synced = { seq: own.headSeq, hash: own.headHash, lamport: own.lamport };
  }

  /** Appends whole lines; with `sync` they and all before them are durable when it resolves. Never splits them over two segments. */
  async write(lines: readonly Buffer[], mark: Mark, sync: boolean): Promise<void> {
    const bytes = joined(lines);
    if (this.#current && this.#current.size > 0 && this.#current.size + bytes.length > SEGMENT_BYTES) await this.roll();
    const file = this.#file ?? (await this.#open());
    const info = this.#current!;
    file.writeNow(bytes, info.size);
    if (sync) await this.#datasync(file);
    info.size += bytes.length;
    this.#own.builder.takeAll(bytes, lines);
    this.#moveTo(mark);
    if (sync) this.#allSynced();
  }

  /** Makes what was written without `sync` durable. */
  async sync(): Promise<void> {
    if (!this.#file || this.#written === this.#synced) return;
    await this.#datasync(this.#file);
    this.#allSynced();
  }

  /** Ends the current segment whole; the next line starts a new one. */
  async roll(): Promise<void> {
    await this.sync();
    const file = this.#file;
    const info = this.#current;
    this.#fresh = true;
    this.#file = null;
    this.#current = null;
    await file?.close();
    if (info) await this.#saveSidecar(info);
  }

  /** Synchronously forgets everything that is not synced; the mark it goes back to. */
  cut(): Mark {
    if (this.#current) {
      this.#current.size = this.#syncedSize;
      this.#own.builder = new BlockBuilder(this.#own.builder.blocks.filter((b) => b.end <= this.#syncedSize));
    }
    this.#moveTo(this.#synced);
    this.#written = this.#synced;
    return this.#synced;
  }

  /**
   * After {@link cut}: cuts the file back to the last synced byte (never to “what still reads well”:
   * after a failed fsync the page cache lies), makes that durable, and leaves the segment for good.
   */
  async repair(): Promise<void> {
    const { dir } = this.#own;
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
    const info = this.#current;
    if (info) {
      const file = await this.#fs.open(pathOf(dir, info.number), 'r+');
      try {
        await file.truncate(info.size);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#saveSidecar(info);
    }
    // A segment whose name did not become durable exists without being known: its number is taken.
    await unlinkIfThere(this.#fs, pathOf(dir, (this.#own.segments.at(-1)?.number ?? 0) + 1));
    this.#current = null;
    // Making the new segment belongs to the next write: a full disk must not end the log for good (case 51).
    this.#fresh = true;
  }

  async close(): Promise<void> {
    const file = this.#file;
    const info = this.#current;
    this.#file = null;
    this.#current = null;
    await file?.close().catch(() => undefined);
    if (file && info) await this.#saveSidecar(info);
  }

  /**
   * Where a flush takes a fraction of a millisecond, waiting for it in place costs half of what two hops
   * through the thread pool do; where it takes longer, the process goes on meanwhile.
   */
  async #datasync(file: OpenFile): Promise<void> {
    if (this.#patience > 0 || !file.datasyncNow) {
      this.#patience--;
      return file.datasync();
    }
    const start = performance.now();
    file.datasyncNow();
    const slow = performance.now() - start > QUICK_MS;
    this.#patience = slow ? this.#nextPatience : 0;
    this.#nextPatience = slow ? Math.min(2 * this.#nextPatience, MOST_SLOW_FLUSHES) : SLOW_FLUSHES;
  }

  #moveTo(mark: Mark): void {
    this.#written = mark;
    this.#own.headSeq = mark.seq;
    this.#own.headHash = mark.hash;
    this.#own.lamport = mark.lamport;
  }

  #allSynced(): void {
    this.#synced = this.#written;
    this.#syncedSize = this.#current?.size ?? 0;
  }

  async #open(): Promise<OpenFile> {
    const { segments, dir } = this.#own;
    const last = segments.at(-1);
    if (!last || this.#fresh || last.size >= SEGMENT_BYTES) return this.#make();
    const file = await this.#fs.open(pathOf(dir, last.number), 'r+');
    this.#file = file;
    this.#current = last;
    this.#syncedSize = last.size;
    return file;
  }

  /** A new segment; its name is durable before its first line. */
  async #make(): Promise<OpenFile> {
    const own = this.#own;
    const fs = this.#fs;
    if (own.segments.length === 0) await this.#makeFolders();
    const last = own.segments.at(-1);
    // Nothing was ever acknowledged in an empty one: its number is used again.
    const number = last?.size === 0 ? last.number : (last?.number ?? 0) + 1;
    if (last?.size === 0) {
      await unlinkIfThere(fs, pathOf(own.dir, number));
      own.segments.pop();
    }
    const file = await fs.open(pathOf(own.dir, number), 'wx', 0o600);
    try {
      await fs.syncDir(own.dir);
    } catch (cause) {
      await file.close().catch(() => undefined);
      await fs.unlink(pathOf(own.dir, number)).catch(() => undefined);
      throw cause;
    }
    const info: SegmentInfo = { number, firstSeq: this.#written.seq + 1, size: 0 };
    own.segments.push(info);
    own.builder = new BlockBuilder([]);
    this.#file = file;
    this.#current = info;
    this.#syncedSize = 0;
    this.#fresh = false;
    return file;
  }

  /** The origin's folder and every name above it up to the data folder: a partner's first line must not hang on a name that is not durable. */
  async #makeFolders(): Promise<void> {
    const own = this.#own;
    const fs = this.#fs;
    await fs.mkdir(own.dir, { recursive: true, mode: 0o700 });
    const logDir = dirname(own.dir);
    const home = dirname(logDir);
    await fs.syncDir(logDir);
    await fs.syncDir(home);
    await fs.syncDir(dirname(home));
    // Above the folder of partners somebody else may be in charge.
    await fs.syncDir(dirname(dirname(home))).catch(() => undefined);
  }

  async #saveSidecar(info: SegmentInfo): Promise<void> {
    const own = this.#own;
    const fs = this.#fs;
    try {
      await fs.mkdir(own.cacheDir, { recursive: true });
      await writeSidecar(fs, sidecarPath(own.cacheDir, info.number), own.builder.blocks);
    } catch {
      // A cache: missing it costs one check of one segment at the next start.
    }
  }
}

async function unlinkIfThere(fs: FsPort, path: string): Promise<void> {
  await fs.unlink(path).catch((cause: unknown) => {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
  });
}
