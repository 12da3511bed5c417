import { createHash } from 'node:crypto';
import type { Hash } from '#domain/ids.ts';
import type { OpenFile } from '#main/ports/fs.ts';

const CHUNK = 1024 * 1024;

/** SHA-256 and size of an open file, streaming. */
export async function hashOpen(file: Pick<OpenFile, 'read'>): Promise<{ hash: Hash; size: number }> {
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
