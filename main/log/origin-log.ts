import { join } from 'node:path';
import type { Hash, OriginId } from '#domain/ids.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { checkLine, envelopeOf, FIRST_PREV } from './line.ts';
import { firstLine, lineChunks, listSegments, pathOf } from './segments.ts';
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
  | { readonly kind: 'damage'; readonly segment: number; readonly at: number; readonly afterSeq: number };

/**
 * Opens one origin without replaying it: the numbers of its segments, the sidecar of the last one, and
 * the lines after the last known block (at most {@link BLOCK_LINES} of them, plus whatever was not yet
 * acknowledged when the process died). A missing sidecar costs one check of that segment.
 */
export async function openOrigin(fs: FsPort, logDir: string, cacheDir: string, origin: OriginId): Promise<{ readonly log: OriginLog; readonly problem: OriginProblem | null }> {
  const dir = join(logDir, origin);
  const cache = join(cacheDir, origin);
  const log: OriginLog = { origin, dir, cacheDir: cache, segments: [], headSeq: 0, headHash: FIRST_PREV, lamport: 0, builder: new BlockBuilder([]) };
  let problem: OriginProblem | null = null;
  const numbers = await listSegments(fs, dir);
  for (const [i, number] of numbers.entries()) {
    const isLast = i === numbers.length - 1;
    const path = pathOf(dir, number);
    const { size } = await fs.lstat(path);
    const info = { number, firstSeq: 0, size };
    if (isLast || size === 0) log.segments.push(info);
    else {
      log.segments.push(info);
      continue;
    }
  }
  // Empty segments at the end (a roll that was never written to) say nothing about the head.
  let last = log.segments.length - 1;
  while (last > 0 && log.segments[last]?.size === 0) last--;
  const info = log.segments[last];
  if (info && info.size > 0) problem = await checkTail(fs, log, info);
  return { log, problem };
}

async function checkTail(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<OriginProblem | null> {
  const path = pathOf(log.dir, info.number);
  const total = info.size;
  const first = await firstLine(fs, path);
  const firstOk = first ? checkLine(first, null) : null;
  if (!first || !firstOk?.ok) {
    const complete = first !== null && firstOk !== null && !firstOk.ok && firstOk.why === 'damaged';
    const before = await previousHead(fs, log, info);
    info.firstSeq = before.seq + 1;
    info.size = 0;
    return complete ? { kind: 'damage', segment: info.number, at: 0, afterSeq: before.seq } : { kind: 'torn', segment: info.number, at: 0, bytes: total };
  }
  info.firstSeq = envelopeOf(first).seq;
  let blocks = await readSidecar(fs, sidecarPath(log.cacheDir, info.number));
  if ((blocks.at(-1)?.end ?? 0) > total) blocks = [];
  let result = await walk(fs, log, info, blocks, total);
  // A sidecar that does not fit is thrown away and the whole segment is checked.
  if (result === 'badSidecar') result = await walk(fs, log, info, [], total);
  return result === 'badSidecar' ? null : result;
}

async function walk(fs: FsPort, log: OriginLog, info: SegmentInfo, blocks: Awaited<ReturnType<typeof readSidecar>>, total: number): Promise<OriginProblem | null | 'badSidecar'> {
  const path = pathOf(log.dir, info.number);
  // Starting one block early gives the hash that the first unknown line must point back to.
  const known = blocks.slice(0, -1);
  const start = known.at(-1)?.end ?? 0;
  const firstKnown = info.firstSeq + known.length * BLOCK_LINES;
  const builder = new BlockBuilder(known);
  let prev: string | null = null;
  let seq = firstKnown - 1;
  let at = start;
  let lamport = 0;
  const before = start === 0 ? await previousHead(fs, log, info) : null;
  if (before) {
    prev = before.hash;
    if (before.seq + 1 !== info.firstSeq) return fromStart(info, before.seq);
  }
  const problemAt = (why: 'torn' | 'damaged'): OriginProblem => {
    const problem: OriginProblem = why === 'torn' ? { kind: 'torn', segment: info.number, at, bytes: total - at } : { kind: 'damage', segment: info.number, at, afterSeq: seq };
    info.size = at;
    return problem;
  };
  const settle = () => {
    log.builder = builder;
    log.headSeq = Math.max(log.headSeq, seq);
    log.lamport = Math.max(log.lamport, lamport);
  };
  for await (const chunk of lineChunks(fs, path, start)) {
    for (let from = 0; from < chunk.bytes.length; ) {
      const end = chunk.bytes.indexOf(0x0a, from) + 1;
      const line = chunk.bytes.subarray(from, end);
      const check = checkLine(line, prev);
      const envelope = check.ok ? envelopeOf(line) : null;
      if (!check.ok || !envelope || envelope.seq !== seq + 1 || envelope.origin !== log.origin) {
        if (known.length > 0 && at === start) return 'badSidecar';
        settle();
        return problemAt(check.ok ? 'damaged' : check.why);
      }
      builder.take(line);
      prev = check.hash;
      seq++;
      lamport = envelope.lamport;
      log.headHash = envelope.h;
      at += line.length;
      from = end;
    }
  }
  settle();
  if (at < total) return problemAt('torn');
  info.size = at;
  return null;
}

function fromStart(info: SegmentInfo, afterSeq: number): OriginProblem {
  info.size = 0;
  return { kind: 'damage', segment: info.number, at: 0, afterSeq };
}

/** Hash and seq of the last line before a segment (the end of the one before it, which was synced whole before the roll). */
async function previousHead(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<{ readonly hash: Hash; readonly seq: number }> {
  for (const other of [...log.segments].reverse()) {
    if (other.number >= info.number || other.size === 0) continue;
    const tail = await lastLine(fs, pathOf(log.dir, other.number), other.size);
    if (!tail) break;
    const { h, seq, lamport } = envelopeOf(tail);
    log.headSeq = Math.max(log.headSeq, seq);
    log.lamport = Math.max(log.lamport, lamport);
    log.headHash = h;
    return { hash: h, seq };
  }
  return { hash: FIRST_PREV, seq: 0 };
}

/** The last whole line of a file of a known size. */
export async function lastLine(fs: FsPort, path: string, size: number): Promise<Buffer | null> {
  const file = await fs.open(path, 'r');
  try {
    for (let want = 64 * 1024; ; want *= 4) {
      const from = Math.max(0, size - want);
      const bytes = Buffer.allocUnsafe(size - from);
      let got = 0;
      while (got < bytes.length) {
        const n = await file.read(bytes, got, bytes.length - got, from + got);
        if (n === 0) break;
        got += n;
      }
      const end = bytes.lastIndexOf(0x0a);
      const begin = end > 0 ? bytes.lastIndexOf(0x0a, end - 1) : -1;
      if (end >= 0 && (begin >= 0 || from === 0)) return bytes.subarray(begin + 1, end + 1);
      if (from === 0) return null;
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
