import type { StoredEvent } from '#domain/events/index.ts';
import type { EventId, OriginId } from '#domain/ids.ts';
import { mergeOrder, type Moment } from '#domain/moment.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { parseLine } from './line.ts';
import { firstSeqOf, type OriginLog, type SegmentInfo } from './origin-log.ts';
import { lineChunks, pathOf, readAt } from './segments.ts';
import { BLOCK_LINES, BlockBuilder, readSidecar, sidecarPath, writeSidecar, type Block } from './sidecar.ts';

/**
 * Events of one origin in batches, `from` to `to` inclusive. Neither hashes nor schemas are looked at:
 * what was acknowledged was checked when written and is checked by verify (design §3, growth law). A
 * line that cannot be read any more comes back as an unknown event in its place: what is around it stays
 * readable (I8).
 */
export async function* readOrigin(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<readonly StoredEvent[]> {
  let lamport = 0;
  for await (const { chunk, seq, ends } of chunks(fs, log, from, to)) {
    const batch: StoredEvent[] = [];
    let at = seq;
    let start = 0;
    for (const end of ends) {
      if (at > to) break;
      if (at >= from) {
        // Decoded line by line: most lines are plain ASCII and stay strings of one byte a character, and
        // no slice of a larger string has to be copied out again to be parsed.
        const event = readable(chunk.toString('utf8', start, end - 1), log.origin, at) ?? damagedEvent(log.origin, at, lamport);
        at = event.seq;
        if (at > to) break;
        lamport = event.lamport;
        batch.push(event);
      }
      start = end;
      at++;
    }
    if (batch.length > 0) yield batch;
  }
}

/** The event of a line that says what its place says; a newline lost before it makes it one further. */
function readable(line: string, origin: OriginId, at: number): StoredEvent | null {
  try {
    const event = parseLine(line);
    return event.origin === origin && (event.seq === at || event.seq === at + 1) && typeof event.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

/** The type of what stands where a line rotted. */
export const DAMAGED = 'LineDamaged';

/** Stands where a line rotted. Its type is unknown to every version, so nothing folds it. */
function damagedEvent(origin: OriginId, seq: number, lamport: number): StoredEvent {
  return {
    id: `event_${'a'.repeat(26)}` as EventId, origin, seq, lamport, at: new Date(0).toISOString(), actor: 'host', run: null, cause: null, class: 'control', refs: [],
    type: DAMAGED, v: 1, data: null,
  };
}

/** The stored bytes of lines, with their newlines, in batches; `seq` is that of the first. */
export async function* readRawBatches(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<{ readonly seq: number; readonly lines: readonly Buffer[] }> {
  for await (const { chunk, seq, ends } of chunks(fs, log, from, to)) {
    const skipped = Math.max(0, from - seq);
    const lines: Buffer[] = [];
    for (let i = skipped; i < ends.length && seq + i <= to; i++) lines.push(chunk.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!));
    if (lines.length > 0) yield { seq: seq + skipped, lines };
  }
}

/** The same one by one. */
export async function* readRawLines(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<{ readonly seq: number; readonly line: Buffer }> {
  for await (const { seq, lines } of readRawBatches(fs, log, from, to)) for (const [i, line] of lines.entries()) yield { seq: seq + i, line };
}

interface Chunk {
  readonly chunk: Buffer;
  /** seq of its first line. */
  readonly seq: number;
  /** Right after each line's newline. */
  readonly ends: readonly number[];
}

/** Chunks of whole lines from the block that holds `from` on. */
async function* chunks(fs: FsPort, log: OriginLog, from: number, to: number): AsyncGenerator<Chunk> {
  if (from > to) return;
  const first = await segmentOf(fs, log, from);
  for (let i = first; i < log.segments.length; i++) {
    const info = log.segments[i]!;
    if (info.size === 0) continue;
    const firstSeq = await firstSeqOf(fs, log, info);
    if (firstSeq > to) return;
    const start = i === first ? await blockStart(fs, log, info, from - firstSeq) : { offset: 0, lines: 0 };
    let seq = firstSeq + start.lines;
    // Few lines wanted: little is read.
    const want = to - from < 2 * BLOCK_LINES ? 64 * 1024 : 256 * 1024;
    for await (const { bytes } of lineChunks(fs, pathOf(log.dir, info.number), start.offset, info.size, want)) {
      const ends = endsOf(bytes);
      yield { chunk: bytes, seq, ends };
      seq += ends.length;
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

/** The last known block start at or before `skip` lines into a segment, if a line with the right seq stands there: a sidecar is never believed unseen. */
async function blockStart(fs: FsPort, log: OriginLog, info: SegmentInfo, skip: number): Promise<{ readonly offset: number; readonly lines: number }> {
  const begin = { offset: 0, lines: 0 };
  const wanted = Math.floor(skip / BLOCK_LINES);
  if (wanted <= 0) return begin;
  const blocks = await blocksOf(fs, log, info);
  const usable = Math.min(wanted, blocks.length);
  const block = blocks[usable - 1];
  if (!block || block.end >= info.size) return begin;
  const lines = usable * BLOCK_LINES;
  return (await seqAt(fs, pathOf(log.dir, info.number), block.end)) === info.firstSeq + lines ? { offset: block.end, lines } : begin;
}

/** Enough for `{"h":…,"e":{"prev":…,"dataHash":…,"id":…,"origin":…,"seq":…,`. */
const SEQ_WITHIN = 512;
async function seqAt(fs: FsPort, path: string, offset: number): Promise<number | null> {
  const file = await fs.open(path, 'r');
  try {
    const text = (await readAt(file, offset, SEQ_WITHIN)).toString('latin1');
    const seq = /^\{"h":"[0-9a-f]{64}","e":\{"prev":"[0-9a-f]{64}","dataHash":"[0-9a-f]{64}","id":"\w+","origin":"\w+","seq":(\d+),/.exec(text)?.[1];
    return seq === undefined ? null : Number(seq);
  } finally {
    await file.close();
  }
}

const sidecars = new WeakMap<SegmentInfo, readonly Block[]>();

/** After a segment was rewritten: its offsets moved. */
export function forgetBlocks(info: SegmentInfo): void {
  sidecars.delete(info);
}

/** A closed segment's blocks, read once; where the sidecar is missing it is made, once. */
async function blocksOf(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<readonly Block[]> {
  if (info === log.segments.at(-1)) return log.builder.blocks;
  const known = sidecars.get(info);
  if (known) return known;
  let blocks: readonly Block[] = await readSidecar(fs, sidecarPath(log.cacheDir, info.number));
  if (blocks.length === 0) blocks = await buildBlocks(fs, log, info);
  sidecars.set(info, blocks);
  return blocks;
}

async function buildBlocks(fs: FsPort, log: OriginLog, info: SegmentInfo): Promise<readonly Block[]> {
  const builder = new BlockBuilder([]);
  for await (const { bytes } of lineChunks(fs, pathOf(log.dir, info.number), 0, info.size)) {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(0x0a, from) + 1;
      builder.take(bytes.subarray(from, end));
      from = end;
    }
  }
  try {
    await fs.mkdir(log.cacheDir, { recursive: true });
    await writeSidecar(fs, sidecarPath(log.cacheDir, info.number), builder.blocks);
  } catch {
    // Kept in memory at least.
  }
  return builder.blocks;
}

function endsOf(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) ends.push(at + 1);
  return ends;
}

/** A moment cut down to what another one has. */
export function within(head: Moment, upTo: Moment | undefined): Moment {
  return upTo ? (Object.fromEntries(Object.entries(head).map(([o, seq]) => [o, Math.min(seq, upTo[o as OriginId] ?? 0)])) as Moment) : head;
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
  let batch: StoredEvent[] = [];
  for (;;) {
    let best: Source | null = null;
    for (const s of sources) if (s.peek() && (!best || mergeOrder(s.peek()!, best.peek()!) < 0)) best = s;
    if (!best) break;
    batch.push(best.take()!);
    if (best.peek()) continue;
    // The disk is asked anyway: what is merged so far is given meanwhile, and no batch outgrows the chunks it came from.
    yield batch;
    batch = [];
    await best.fill();
  }
  if (batch.length > 0) yield batch;
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
