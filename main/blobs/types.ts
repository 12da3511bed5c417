import type { Hash } from '#domain/ids.ts';
import type { Result } from '#domain/result.ts';

/** Content-addressed bytes, shared by all partners (design §4). Durable when `put` resolves; checked on every read. */
export interface BlobStore {
  /** Stores bytes; `known` is their hash where the caller has computed it from these very bytes. Codes: blob.full, blob.io. */
  put(bytes: Uint8Array, known?: Hash): Promise<Result<Hash>>;
  /** Stores a file's bytes by kernel copy, hashing the private copy (streaming, ≤ 4 MB of memory). */
  putFile(path: string): Promise<Result<{ readonly hash: Hash; readonly size: number }>>;
  /** In its place: one that was swept is not, although it comes back when it is asked for. */
  has(hash: Hash): Promise<boolean>;
  /** Codes: blob.missing, blob.damaged, blob.io. */
  get(hash: Hash): Promise<Result<Uint8Array>>;
  /** The checked blob's own path, for kernel copies out of the store. */
  pathOf(hash: Hash): Promise<Result<string>>;
  sizeOf(hash: Hash): Promise<number | null>;
  /**
   * Moves every blob that `isNeeded` denies to `.swept/`, and forgets for good what has lain there for 30
   * days and is still denied. Excludes `put` while it runs. Whoever calls it sees to it that no event with a fresh blob is
   * under way: between a put and its event nothing says that the blob is needed. Throws the disk's error.
   */
  sweep(isNeeded: (hash: Hash) => boolean): Promise<SweepReport>;
}

export interface SweepReport {
  readonly swept: number;
  /** Of the swept ones. */
  readonly bytes: number;
  /** Removed for good after 30 days. */
  readonly purged: number;
}
