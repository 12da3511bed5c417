import { createHash } from 'node:crypto';
import type { Hash } from '#domain/ids.ts';
import type { OpenFile } from '#main/ports/fs.ts';

const CHUNK = 1024 * 1024;

/** SHA-256 and size of an open file, streaming: while one piece is hashed the next is read. */
export async function hashOpen(file: Pick<OpenFile, 'read'>): Promise<{ hash: Hash; size: number }> {
  const hasher = createHash('sha256');
  let [now, next] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
  let size = 0;
  for (let got = await file.read(now, 0, CHUNK, 0); got > 0; ) {
    size += got;
    const reading = file.read(next, 0, CHUNK, size);
    hasher.update(now.subarray(0, got));
    got = await reading;
    [now, next] = [next, now];
  }
  return { hash: hasher.digest('hex') as Hash, size };
}
