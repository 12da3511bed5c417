import { join } from 'node:path';
import { errnoOf, type FsPort, type OpenFile } from '#main/ports/fs.ts';
import { MAX_LINE } from './line.ts';

/** A segment takes no further line once it would grow beyond this. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;

export function segmentName(number: number): string {
  return `${String(number).padStart(8, '0')}.jsonl`;
}

/** Numbers of an origin's segments, ascending. */
export async function listSegments(fs: FsPort, dir: string): Promise<number[]> {
  const entries = await fs.readdir(dir).catch((cause: unknown) => {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  });
  return entries.flatMap((e) => (/^\d{8}\.jsonl$/.test(e.name) ? [Number(e.name.slice(0, 8))] : [])).sort((a, b) => a - b);
}

/** Reads `length` bytes at `position`, fewer at the end of the file. */
export async function readAt(file: OpenFile, position: number, length: number, into: Buffer = Buffer.allocUnsafe(length)): Promise<Buffer> {
  let got = 0;
  while (got < length) {
    const n = await file.read(into, got, length - got, position + got);
    if (n === 0) break;
    got += n;
  }
  return into.subarray(0, got);
}

/**
 * The lines of a file from a line start on, in chunks of about `size` bytes. Each chunk holds whole lines
 * with their newlines; a rest without one is not given. With `ahead` the next bytes are read while the
 * caller works on a chunk, and a chunk is good only until the one after the next is asked for: for who
 * wants all of them and keeps none.
 */
export async function* lineChunks(fs: FsPort, path: string, from: number, to?: number, size = 256 * 1024, ahead = false): AsyncGenerator<{ readonly at: number; readonly bytes: Buffer }> {
  const file = await fs.open(path, 'r');
  const memory = ahead ? new TwoBuffers() : null;
  let next: { readonly at: number; readonly bytes: Promise<Buffer> } | null = null;
  try {
    let at = from;
    let want = size;
    for (;;) {
      const room = to === undefined ? want : Math.min(want, to - at);
      if (room <= 0) return;
      const bytes: Buffer = next ? await next.bytes : await readAt(file, at, room, memory?.take(room));
      next = null;
      if (bytes.length === 0) return;
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end === 0) {
        // One line longer than the chunk; beyond MAX_LINE it is not a line of ours.
        if (bytes.length < room || want > MAX_LINE) return;
        want *= 2;
        continue;
      }
      at += end;
      const left = to === undefined ? want : Math.min(want, to - at);
      if (ahead && left > 0) {
        next = { at, bytes: readAt(file, at, left, memory?.take(left)) };
        next.bytes.catch(() => undefined);
      }
      yield { at: at - end, bytes: bytes.subarray(0, end) };
    }
  } finally {
    await next?.bytes.catch(() => undefined);
    await file.close();
  }
}

/** Memory for two pieces, given out in turn: fresh memory for every piece costs as much as reading it. */
export class TwoBuffers {
  #now = Buffer.alloc(0);
  #other = Buffer.alloc(0);

  take(size: number): Buffer {
    [this.#now, this.#other] = [this.#other.length < size ? Buffer.allocUnsafeSlow(size) : this.#other, this.#now];
    return this.#now.subarray(0, size);
  }
}

/** The first line of a file, with its newline; null when there is none. Most are short: a little is read first. */
export async function firstLine(fs: FsPort, path: string): Promise<Buffer | null> {
  const file = await fs.open(path, 'r');
  try {
    for (let want = 4096; ; want *= 8) {
      const bytes = await readAt(file, 0, want);
      const end = bytes.indexOf(0x0a) + 1;
      if (end > 0) return bytes.subarray(0, end);
      if (bytes.length < want || want > MAX_LINE) return null;
    }
  } finally {
    await file.close();
  }
}

export function pathOf(dir: string, number: number): string {
  return join(dir, segmentName(number));
}
