import { join } from 'node:path';
import type { Hash, OriginId } from '#domain/ids.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { checkLine, envelopeOf, FIRST_PREV, isFlippedNewline, isLostPage, MAX_LINE } from './line.ts';
import { firstLine, lineChunks, listSegments, pathOf, readAt } from './segments.ts';
import { BLOCK_LINES, BlockBuilder, readSidecar, sidecarPath } from './sidecar.ts';

/** One origin's segments as found on disk, checked from the last sidecar block to the end. */
export interface OriginLog {
  readonly origin: OriginId;
  readonly dir: string;
  readonly cacheDir: string;
  /** Ascending; the last one may be empty. */
  readonly segments: SegmentInfo[];
  headSeq: number;
  headHash: Hash;
  lamport: number;
  /** Blocks of the last segment, growing with what is acknowledged. */
  builder: BlockBuilder;
}

export interface SegmentInfo {
  readonly number: number;
  /** seq of its first line. */
  firstSeq: number;
  /** Bytes up to the end of the last good line. */
  size: number;
}

export type OriginProblem =
  | { readonly kind: 'torn'; readonly segment: number; readonly at: number; readonly bytes: number }
  /** The last anchored line is there in part and cannot be had back; of what was anchored nothing else is missing. */
  | { readonly kind: 'lostEnd'; readonly segment: number; readonly at: number; readonly bytes: number }
  | { readonly kind: 'damage'; readonly segment: number; readonly at: number; readonly afterSeq: number };

/** An end that must still be there. */
export interface Anchor {
  readonly seq: number;
  readonly h: Hash;
}

/**
 * Opens one origin without replaying it: the numbers of its segments, the sidecar of the last one, and
 * the lines after the last known block (at most two blocks of them after a clean close; one segment after
 * a kill). What ends before its anchor is no torn tail: nothing anchored is ever cut. Where only the very last
 * anchored line is cut off (case 49) the origin ends there, else it is damage.
 */
export async function openOrigin(fs: FsPort, logDir: string, cacheDir: string, origin: OriginId, anchor: Anchor | null = null): Promise<{ readonly log: OriginLog; readonly problem: OriginProblem | null }> {
  const dir = join(logDir, origin);
  const log: OriginLog = { origin, dir, cacheDir: join(cacheDir, origin), segments: [], headSeq: 0, headHash: FIRST_PREV, lamport: 0, builder: new BlockBuilder([]) };
  const numbers = await listSegments(fs, dir);
  // Numbers have no gaps: what comes after one hangs in the air.
  const whole = numbers.findIndex((n, i) => n !== i + 1);
  const kept = whole < 0 ? numbers : numbers.slice(0, whole);
  const sizes = await Promise.all(kept.map(async (number) => (await fs.lstat(pathOf(dir, number))).size));
  for (const [i, number] of kept.entries()) log.segments.push({ number, firstSeq: 0, size: sizes[i]! });
  // Empty segments at the end (a roll that was never written to) say nothing about the head.
  const info = log.segments.findLast((s) => s.size > 0);
  let problem = info ? await checkTail(fs, log, info) : null;
  if (info !== log.segments.at(-1)) log.builder = new BlockBuilder([]);
  if (problem?.kind === 'torn' && anchor && log.headSeq < anchor.seq) {
    problem = log.headSeq > 0 && log.headSeq === anchor.seq - 1 ? { ...problem, kind: 'lostEnd' } : { kind: 'damage', segment: problem.segment, at: problem.at, afterSeq: log.headSeq };
  }
  if (!problem && whole >= 0) problem = { kind: 'damage', segment: whole + 1, at: 0, afterSeq: log.headSeq };
  return { log, problem };
}

async function checkTail(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<OriginProblem | null> {
  const total = info.size;
  const first = await firstLine(fs, pathOf(log.dir, info.number));
  const usable = first !== null && checkLine(first, null).ok;
  let blocks = usable ? await readSidecar(fs, sidecarPath(log.cacheDir, info.number)) : [];
  if ((blocks.at(-1)?.end ?? 0) > total) blocks = [];
  info.firstSeq = usable ? envelopeOf(first).seq : 0;
  const result = await walk(fs, log, info, blocks, total);
  // A sidecar that does not fit is thrown away and the whole segment is checked.
  return result === 'badSidecar' ? ((await walk(fs, log, info, [], total)) as OriginProblem | null) : result;
}

async function walk(fs: FsPort, log: OriginLog, info: SegmentInfo, blocks: Awaited<ReturnType<typeof readSidecar>>, total: number): Promise<OriginProblem | null | 'badSidecar'> {
  const path = pathOf(log.dir, info.number);
  // Starting one block early gives the hash that the first unknown line must point back to.
  const known = blocks.slice(0, -1);
  const start = known.at(-1)?.end ?? 0;
  const builder = new BlockBuilder(known);
  let prev: Hash | null = null;
  let seq = info.firstSeq + known.length * BLOCK_LINES - 1;
  let lamport = 0;
  let at = start;
  if (start === 0) {
    const before = await previousHead(fs, log, info);
    if (before === 'damaged') return stop('damaged');
    ({ hash: prev, seq, lamport } = before);
    info.firstSeq = seq + 1;
  }
  function stop(why: 'torn' | 'damaged'): OriginProblem {
    info.size = at;
    log.builder = builder;
    if (prev !== null) {
      log.headSeq = seq;
      log.headHash = prev;
      log.lamport = lamport;
    }
    return why === 'torn' ? { kind: 'torn', segment: info.number, at, bytes: total - at } : { kind: 'damage', segment: info.number, at, afterSeq: log.headSeq };
  }
  for await (const chunk of lineChunks(fs, path, start, total)) {
    for (let from = 0; from < chunk.bytes.length; ) {
      const end = chunk.bytes.indexOf(0x0a, from) + 1;
      const line = chunk.bytes.subarray(from, end);
      const check = checkLine(line, prev);
      const envelope = check.ok ? envelopeOf(line) : null;
      if (!check.ok || !envelope || envelope.seq !== seq + 1 || envelope.origin !== log.origin || envelope.lamport <= lamport) {
        if (known.length > 0 && at === start) return 'badSidecar';
        return stop(!check.ok && check.why === 'zeros' && isLostPage(line, at, total) ? 'torn' : 'damaged');
      }
      builder.take(line);
      prev = envelope.h;
      ({ seq, lamport } = envelope);
      at += line.length;
      from = end;
    }
  }
  stop('torn');
  if (at === total) return null;
  return stop(await restIsWhole(fs, path, at, total, prev) ? 'damaged' : 'torn');
}

async function restIsWhole(fs: FsPort, path: string, at: number, total: number, prev: Hash | null): Promise<boolean> {
  if (total - at > MAX_LINE) return false;
  const file = await fs.open(path, 'r');
  try {
    return isFlippedNewline(await readAt(file, at, total - at), prev);
  } finally {
    await file.close();
  }
}

/** The end of the segments before one: each was synced whole before the next was begun. */
async function previousHead(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<{ readonly hash: Hash; readonly seq: number; readonly lamport: number } | 'damaged'> {
  const other = log.segments.findLast((s) => s.number < info.number && s.size > 0);
  if (!other) return { hash: FIRST_PREV, seq: 0, lamport: 0 };
  const tail = await lastLine(fs, pathOf(log.dir, other.number), other.size);
  if (!tail || !checkLine(tail, null).ok) return 'damaged';
  const { h, seq, lamport } = envelopeOf(tail);
  return { hash: h, seq, lamport };
}

/** The last line of a file of a known size, with its newline; null when the file does not end with one. */
export async function lastLine(fs: FsPort, path: string, size: number): Promise<Buffer | null> {
  const file = await fs.open(path, 'r');
  try {
    for (let want = 8 * 1024; ; want *= 8) {
      const from = Math.max(0, size - want);
      const bytes = await readAt(file, from, size - from);
      const end = bytes.lastIndexOf(0x0a);
      const begin = end > 0 ? bytes.lastIndexOf(0x0a, end - 1) : -1;
      if (end === bytes.length - 1 && (begin >= 0 || from === 0)) return bytes.subarray(begin + 1, end + 1);
      if (from === 0 || end !== bytes.length - 1) return null;
    }
  } finally {
    await file.close();
  }
}

/** seq of a segment's first line, read once and remembered. */
export async function firstSeqOf(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<number> {
  if (info.firstSeq > 0 || info.size === 0) return info.firstSeq;
  const line = await firstLine(fs, pathOf(log.dir, info.number)).catch((cause: unknown) => {
    if (errnoOf(cause) === 'ENOENT') return null;
    throw cause;
  });
  info.firstSeq = line ? envelopeOf(line).seq : 0;
  return info.firstSeq;
}
