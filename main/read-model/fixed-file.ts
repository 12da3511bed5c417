import type { FsPort, OpenFile } from '#main/ports/fs.ts';

/** The index does not say what it should: it is thrown away and built again. */
export class IndexDamage extends Error {}

const BLOCK_RECORDS = 64;
const MAX_BLOCKS = 64;

/**
 * A file of records of one size, each ending in a checksum. Records set but not yet written lie in
 * memory and win over the disk, so that a full disk costs nothing but memory. No fsync: what a power loss
 * takes is found by the checksums.
 */
export class FixedFile {
  /** Null where the disk refuses a file: everything stays in memory. */
  readonly #file: OpenFile | null;
  readonly #size: number;
  readonly #unwritten = new Map<number, Buffer>();
  readonly #blocks = new Map<number, Buffer>();
  #count: number;

  private constructor(file: OpenFile | null, size: number, count: number) {
    this.#file = file;
    this.#size = size;
    this.#count = count;
  }

  /** Opens what is there with `count` records that count, or an empty one. `size` is bytes per record with its 4 of checksum. */
  static async open(fs: FsPort, path: string, size: number, count: number | null): Promise<FixedFile> {
    if (count === null) return new FixedFile(await fs.open(path, 'w+', 0o600).catch(() => null), size, 0);
    const file = await fs.open(path, 'r+', 0o600);
    if ((await file.stat()).size < count * size) {
      await file.close();
      throw new IndexDamage(path);
    }
    return new FixedFile(file, size, count);
  }

  get count(): number {
    return this.#count;
  }

  get unwritten(): number {
    return this.#unwritten.size;
  }

  /** @param uncounted also records that are there but beyond the count: an earlier life got further than its head */
  async get(index: number, uncounted = false): Promise<Buffer> {
    const waiting = this.#unwritten.get(index);
    if (waiting) return waiting;
    if (index < 0 || (index >= this.#count && !uncounted)) throw new IndexDamage(`record ${index} of ${this.#count}`);
    const number = Math.floor(index / BLOCK_RECORDS);
    const block = this.#blocks.get(number) ?? (await this.#load(number));
    const at = (index % BLOCK_RECORDS) * this.#size;
    const record = block.subarray(at, at + this.#size);
    if (record.length < this.#size || record.readUInt32LE(this.#size - 4) !== sumOf(record, this.#size - 4)) throw new IndexDamage(`record ${index}`);
    return record;
  }

  /** Puts a record (its last 4 bytes are filled in here) at an index up to `count`. */
  set(index: number, record: Buffer): void {
    record.writeUInt32LE(sumOf(record, this.#size - 4), this.#size - 4);
    this.#unwritten.set(index, record);
    if (index >= this.#count) this.#count = index + 1;
  }

  /** Forgets the records from `count` on. */
  cut(count: number): void {
    for (const index of this.#unwritten.keys()) if (index >= count) this.#unwritten.delete(index);
    this.#count = Math.min(this.#count, count);
  }

  /** Writes what waits, in runs of neighbours. Throws the disk's error; then everything still waits. */
  async flush(): Promise<void> {
    if (!this.#file) throw new Error('nowhere to write');
    const indexes = [...this.#unwritten.keys()].sort((a, b) => a - b);
    for (let i = 0; i < indexes.length; ) {
      let j = i + 1;
      while (j < indexes.length && indexes[j] === indexes[j - 1]! + 1) j++;
      const written = indexes.slice(i, j).map((n) => [n, this.#unwritten.get(n)!] as const);
      await this.#file.write(Buffer.concat(written.map(([, r]) => r)), written[0]![0] * this.#size);
      for (const [n, record] of written) {
        // Set again while it was being written: that one still waits.
        if (this.#unwritten.get(n) === record) this.#unwritten.delete(n);
        this.#blocks.delete(Math.floor(n / BLOCK_RECORDS));
      }
      i = j;
    }
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => undefined);
  }

  async #load(number: number): Promise<Buffer> {
    const length = BLOCK_RECORDS * this.#size;
    const block = Buffer.alloc(length);
    let got = 0;
    while (this.#file && got < length) {
      const n = await this.#file.read(block, got, length - got, number * length + got);
      if (n === 0) break;
      got += n;
    }
    if (this.#blocks.size >= MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!);
    const read = block.subarray(0, got);
    this.#blocks.set(number, read);
    return read;
  }
}

/** FNV-1a over the bytes before the checksum; never 0 for zeros. */
function sumOf(bytes: Buffer, length: number): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < length; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193);
  return sum >>> 0;
}

/** How many of the first records satisfy `below`, which holds for a prefix: a binary search. */
export async function countWhile(count: number, below: (index: number) => Promise<boolean>): Promise<number> {
  let low = 0;
  let high = count;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (await below(mid)) low = mid + 1;
    else high = mid;
  }
  return low;
}
