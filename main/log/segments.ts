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
export async function readAt(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const into = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const n = await file.read(into, got, length - got, position + got);
    if (n === 0) break;
    got += n;
  }
  return into.subarray(0, got);
}

/** The lines of a file from a line start on, in chunks of about 256 KB. Each chunk holds whole lines with their newlines; a rest without one is not given. */
export async function* lineChunks(fs: FsPort, path: string, from: number, to?: number): AsyncGenerator<{ readonly at: number; readonly bytes: Buffer }> {
  const file = await fs.open(path, 'r');
  try {
    let at = from;
    let want = 256 * 1024;
    for (;;) {
      const room = to === undefined ? want : Math.min(want, to - at);
      if (room <= 0) return;
      const bytes = await readAt(file, at, room);
      if (bytes.length === 0) return;
      const end = bytes.lastIndexOf(0x0a) + 1;
      if (end === 0) {
        // One line longer than the chunk; beyond MAX_LINE it is not a line of ours.
        if (bytes.length < room || want > MAX_LINE) return;
        want *= 2;
        continue;
      }
      yield { at, bytes: bytes.subarray(0, end) };
      at += end;
    }
  } finally {
    await file.close();
  }
}

/** The first line of a file, with its newline; null when there is none. */
export async function firstLine(fs: FsPort, path: string): Promise<Buffer | null> {
  for await (const { bytes } of lineChunks(fs, path, 0)) return bytes.subarray(0, bytes.indexOf(0x0a) + 1);
  return null;
}

export function pathOf(dir: string, number: number): string {
  return join(dir, segmentName(number));
}
