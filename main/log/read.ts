import type { StoredEvent } from '#domain/events/index.ts';
import { mergeOrder, type Moment } from '#domain/moment.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { parseLine } from './line.ts';
import { firstSeqOf, type OriginLog, type SegmentInfo } from './origin-log.ts';
import { lineChunks, pathOf } from './segments.ts';
import { BLOCK_LINES, readSidecar, sidecarPath, type Block } from './sidecar.ts';

/**
 * Events of one origin in batches, `from` to `to` inclusive. Neither hashes nor schemas are looked at:
 * what was acknowledged was checked when written and is checked by verify (design §3, growth law).
 */
export async function* readOrigin(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<readonly StoredEvent[]> {
  for await (const { chunk, seq } of chunks(fs, log, from, to)) {
    const batch: StoredEvent[] = [];
    // One decode for the whole chunk, one parse a line.
    const lines = chunk.toString('utf8').split('\n');
    lines.pop();
    for (const [i, line] of lines.entries()) {
      const at = seq + i;
      if (at < from) continue;
      if (at > to) break;
      batch.push(parseLine(line));
    }
    if (batch.length > 0) yield batch;
  }
}

/** The stored bytes of lines, with their newlines. */
export async function* readRawLines(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<{ readonly seq: number; readonly line: Buffer }> {
  for await (const { chunk, seq } of chunks(fs, log, from, to)) {
    let at = seq;
    for (let start = 0; start < chunk.length; at++) {
      const end = chunk.indexOf(0x0a, start) + 1;
      if (at >= from && at <= to) yield { seq: at, line: chunk.subarray(start, end) };
      start = end;
    }
  }
}

/** Chunks of whole lines from the block that holds `from` on; `seq` is that of the chunk's first line. */
async function* chunks(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<{ readonly chunk: Buffer; readonly seq: number }> {
  if (from > to) return;
  const first = await segmentOf(fs, log, from);
  for (let i = first; i < log.segments.length; i++) {
    const info = log.segments[i]!;
    if (info.size === 0) continue;
    const firstSeq = await firstSeqOf(fs, log, info);
    if (firstSeq > to) return;
    const start = i === first ? await blockStart(fs, log, info, from - firstSeq) : { offset: 0, lines: 0 };
    let seq = firstSeq + start.lines;
    for await (const { bytes } of lineChunks(fs, pathOf(log.dir, info.number), start.offset, info.size)) {
      yield { chunk: bytes, seq };
      seq += countLines(bytes);
      if (seq > to) return;
    }
  }
}

/** Index of the segment that holds `seq`: a binary search over first lines, each read once. */
async function segmentOf(fs: FsPort, log: OriginLog, seq: number): Promise<number> {
  const filled = log.segments.map((s, i) => ({ s, i })).filter(({ s }) => s.size > 0);
  let low = 0;
  let high = filled.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if ((await firstSeqOf(fs, log, filled[mid]!.s)) <= seq) low = mid;
    else high = mid - 1;
  }
  return filled[low]?.i ?? 0;
}

async function blockStart(fs: FsPort, log: OriginLog, info: SegmentInfo, skip: number): Promise<{ readonly offset: number; readonly lines: number }> {
  const wanted = Math.floor(skip / BLOCK_LINES);
  if (wanted <= 0) return { offset: 0, lines: 0 };
  const own = info === log.segments.at(-1) ? log.builder.blocks : null;
  const blocks: readonly Block[] = own && own.length > 0 ? own : await sidecarOf(fs, log, info);
  const usable = Math.min(wanted, blocks.length);
  const block = blocks[usable - 1];
  return block && block.end <= info.size ? { offset: block.end, lines: usable * BLOCK_LINES } : { offset: 0, lines: 0 };
}

const sidecars = new WeakMap<SegmentInfo, readonly Block[]>();
/** A closed segment's sidecar never changes: read once. */
async function sidecarOf(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<readonly Block[]> {
  const known = sidecars.get(info);
  if (known) return known;
  const blocks = await readSidecar(fs, sidecarPath(log.cacheDir, info.number));
  if (blocks.length > 0 && info !== log.segments.at(-1)) sidecars.set(info, blocks);
  return blocks;
}

function countLines(bytes: Buffer): number {
  let n = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) n++;
  return n;
}

/** All origins in merge order, up to a moment, in batches. A single origin needs no merging. */
export async function* readMerged(fs: FsPort, origins: readonly OriginLog[], upTo: Moment): AsyncGenerator<readonly StoredEvent[]> {
  const wanted = origins.filter((o) => (upTo[o.origin] ?? 0) > 0);
  if (wanted.length <= 1) {
    for (const o of wanted) yield* readOrigin(fs, o, 1, upTo[o.origin] ?? 0);
    return;
  }
  const sources = wanted.map((o) => new Source(readOrigin(fs, o, 1, upTo[o.origin] ?? 0)));
  for (const s of sources) await s.fill();
  for (;;) {
    let best: Source | null = null;
    for (const s of sources) if (s.peek() && (!best || mergeOrder(s.peek()!, best.peek()!) < 0)) best = s;
    if (!best) return;
    yield [best.take()!];
    await best.fill();
  }
}

class Source {
  readonly #batches: AsyncGenerator<readonly StoredEvent[]>;
  #batch: readonly StoredEvent[] = [];
  #at = 0;
  #done = false;

  constructor(batches: AsyncGenerator<readonly StoredEvent[]>) {
    this.#batches = batches;
  }

  peek(): StoredEvent | undefined {
    return this.#batch[this.#at];
  }

  take(): StoredEvent | undefined {
    return this.#batch[this.#at++];
  }

  async fill(): Promise<void> {
    while (!this.#done && this.#at >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done) this.#done = true;
      else {
        this.#batch = next.value;
        this.#at = 0;
      }
    }
  }
}
