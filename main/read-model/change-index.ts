import { join } from 'node:path';
import type { ChangeId } from '#domain/ids.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { FixedFile, IndexDamage } from './fixed-file.ts';
import { BUCKET_BYTES, CHANGE_BYTES, keyOf, readBucket, readChange, writeBucket, writeChange } from './records.ts';

/** Chains that the changes are spread over: a hundred thousand changes make chains of about 25. */
const BUCKETS = 4096;

/** How much of the two files counts; null makes them anew. */
export interface ChangeCounts {
  readonly changes: number;
  readonly buckets: number;
}

/**
 * Which turn a change belongs to, by the change's id: records in the order of the log, chained by a hash
 * of the id, so that asking costs a short chain and never the history. A bucket that names a record beyond
 * the count is from a life that got further than its head: it is followed back to what counts.
 */
export class ChangeIndex {
  readonly #changes: FixedFile;
  readonly #buckets: FixedFile;

  private constructor(changes: FixedFile, buckets: FixedFile) {
    this.#changes = changes;
    this.#buckets = buckets;
  }

  /** Throws IndexDamage or the disk's error when what should be there is not. */
  static async open(fs: FsPort, dir: string, counts: ChangeCounts | null): Promise<ChangeIndex> {
    const changes = await FixedFile.open(fs, join(dir, 'changes.bin'), CHANGE_BYTES, counts?.changes ?? null);
    try {
      return new ChangeIndex(changes, await FixedFile.open(fs, join(dir, 'buckets.bin'), BUCKET_BYTES, counts?.buckets ?? null));
    } catch (cause) {
      await changes.close();
      throw cause;
    }
  }

  get counts(): ChangeCounts {
    return { changes: this.#changes.count, buckets: this.#buckets.count };
  }

  get unwritten(): number {
    return this.#changes.unwritten + this.#buckets.unwritten;
  }

  /** Adds a change at the end; `turn` is the position of its turn, `origin` that of its origin. */
  async add(change: ChangeId, turn: number, origin: number, seq: number): Promise<void> {
    const bucket = bucketOf(change);
    const previous = await this.#first(bucket);
    const number = this.#changes.count;
    this.#changes.set(number, writeChange({ key: keyOf(change), turn, previous, origin, seq }));
    this.#point(bucket, number + 1);
  }

  /** Position of the change's turn, or null. */
  async find(change: ChangeId): Promise<number | null> {
    const key = keyOf(change);
    for (let at = await this.#first(bucketOf(change)); at > 0; ) {
      const record = readChange(await this.#changes.get(at - 1));
      if (record.key === key) return record.turn;
      if (record.previous >= at) throw new IndexDamage('changes in a circle');
      at = record.previous;
    }
    return null;
  }

  /** The turn of the n-th change, in the order of the log. */
  async turnAt(n: number): Promise<number> {
    return readChange(await this.#changes.get(n)).turn;
  }

  /** Forgets the newest changes as long as they are `beyond` what the log still holds. */
  async rollBack(beyond: (record: { readonly origin: number; readonly seq: number }) => boolean): Promise<void> {
    while (this.#changes.count > 0) {
      const record = readChange(await this.#changes.get(this.#changes.count - 1));
      if (!beyond(record)) return;
      this.#point(bucketOf(record.key), record.previous);
      this.#changes.cut(this.#changes.count - 1);
    }
  }

  /** The records before the buckets that name them. */
  async flush(): Promise<void> {
    await this.#changes.flush();
    await this.#buckets.flush();
  }

  async close(): Promise<void> {
    await this.#changes.close();
    await this.#buckets.close();
  }

  /** 1 + the newest change of a bucket that counts; 0 for none. */
  async #first(bucket: number): Promise<number> {
    let at = bucket < this.#buckets.count ? readBucket(await this.#buckets.get(bucket)) : 0;
    while (at > this.#changes.count) at = readChange(await this.#changes.get(at - 1, true)).previous;
    return at;
  }

  #point(bucket: number, to: number): void {
    while (this.#buckets.count < bucket) this.#buckets.set(this.#buckets.count, writeBucket(0));
    this.#buckets.set(bucket, writeBucket(to));
  }
}

/** FNV-1a over the key's characters. */
function bucketOf(change: string): number {
  let sum = 0x811c9dc5;
  for (const c of keyOf(change)) sum = Math.imul(sum ^ c.charCodeAt(0), 0x01000193);
  return (sum >>> 0) % BUCKETS;
}
