import type { Hash } from '#domain/ids.ts';
import type { FileStat } from '#main/ports/fs.ts';

/** So long a blob counts as read: reading it again would ask the system's cache, not the disk. */
const MINUTES_MS = 10 * 60_000;
const MOST = 1024;

/**
 * Blobs that this process wrote or read whole a short while ago, each with what the disk said of the file
 * then. As long as it says the same, nobody wrote to it, and it need not be hashed again to be kept again.
 */
export class Checked {
  readonly #seen = new Map<Hash, { readonly stamp: string; readonly at: number }>();

  /** @param stat from before its bytes were read, or from after they were written here */
  note(hash: Hash, stat: FileStat): void {
    this.#seen.delete(hash);
    // A disk that tells no times cannot say that nothing changed.
    if (stat.ctimeMs <= 0) return;
    if (this.#seen.size >= MOST) this.#seen.delete(this.#seen.keys().next().value!);
    this.#seen.set(hash, { stamp: stampOf(stat), at: performance.now() });
  }

  has(hash: Hash, stat: FileStat): boolean {
    const seen = this.#seen.get(hash);
    return seen !== undefined && seen.stamp === stampOf(stat) && performance.now() - seen.at < MINUTES_MS;
  }
}

function stampOf(stat: FileStat): string {
  return `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}
