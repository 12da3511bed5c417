import { join } from 'node:path';
import { lift } from '#domain/events/lifts.ts';
import type { StoredEvent } from '#domain/events/index.ts';
import { isId, type OriginId } from '#domain/ids.ts';
import { mergeOrder, type Moment } from '#domain/moment.ts';
import { checkLine, parseLine } from '#main/log/line.ts';
import { lineChunks, listSegments, pathOf } from '#main/log/segments.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** What stands in a log in order: a line that its own hashes vouch for, or a stretch that could not be read. */
export type Readable = { readonly kind: 'event'; readonly event: StoredEvent; readonly line: Buffer } | { readonly kind: 'gap' };

const START = Buffer.from('{"h":"');
const NEWLINE = Buffer.from('\n');

/**
 * Everything of a log that still verifies, of all origins in merge order, straight from the disk: no
 * index, no sidecar and no part of the log's own opening is believed. Reads only. Memory: one chunk per origin.
 *
 * @param dir the log's own directory, as for opening
 * @param upTo where a log that is being written just now is acknowledged; missing: everything
 * @param anchors seqs that the origins are known to have reached: what ends before one is a gap too
 */
export async function* readableLines(fs: FsPort, dir: string, upTo?: Moment, anchors: Moment = {}): AsyncGenerator<Readable> {
  const logDir = join(dir, 'log');
  const heads = [];
  const origins = new Set([...(await originsOf(fs, logDir)), ...(Object.keys(anchors) as OriginId[])]);
  for (const origin of [...origins].sort()) heads.push(new Head(toAnchor(readableOrigin(fs, join(logDir, origin), origin, upTo ? (upTo[origin] ?? 0) : Infinity), anchors[origin] ?? 0)));
  for (const head of heads) await head.next();
  for (;;) {
    // What could not be read has no place of its own: it is named before the next event of its origin.
    let first: Head | null = null;
    for (const head of heads) {
      if (head.now && (!first?.now || head.now.kind === 'gap' || (first.now.kind === 'event' && mergeOrder(head.now.event, first.now.event) < 0))) first = head;
      if (first?.now?.kind === 'gap') break;
    }
    if (!first?.now) return;
    yield first.now;
    await first.next();
  }
}

class Head {
  now: Readable | null = null;
  readonly #from: AsyncGenerator<Readable>;
  constructor(from: AsyncGenerator<Readable>) {
    this.#from = from;
  }
  async next(): Promise<void> {
    const got = await this.#from.next();
    this.now = got.done ? null : got.value;
  }
}

async function originsOf(fs: FsPort, logDir: string): Promise<OriginId[]> {
  try {
    return (await fs.readdir(logDir)).flatMap((e) => (e.kind === 'folder' && isId('origin', e.name) ? [e.name] : [])).sort();
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

/** A missing end is a gap like any other, and one gap at the end is enough. */
async function* toAnchor(found: AsyncGenerator<Readable>, anchored: number): AsyncGenerator<Readable> {
  let seq = 0;
  let told = false;
  for await (const one of found) {
    told = one.kind === 'gap';
    if (one.kind === 'event') seq = one.event.seq;
    yield one;
  }
  if (seq < anchored && !told) yield { kind: 'gap' };
}

async function* readableOrigin(fs: FsPort, dir: string, origin: OriginId, last: number): AsyncGenerator<Readable> {
  let next = 1;
  const numbers = await listSegments(fs, dir).catch(() => null);
  if (!numbers) return yield { kind: 'gap' };
  for (const number of numbers) {
    if (number !== next) yield { kind: 'gap' };
    next = number + 1;
    const path = pathOf(dir, number);
    let at = 0;
    try {
      for await (const { bytes } of lineChunks(fs, path, 0)) {
        at += bytes.length;
        for (let from = 0; from < bytes.length; ) {
          const end = bytes.indexOf(0x0a, from) + 1;
          for (const found of judged(bytes.subarray(from, end), origin)) {
            if (found.kind === 'event' && found.event.seq > last) return;
            yield found;
          }
          from = end;
        }
      }
      // An unfinished last line, or one that has no end any more.
      if (at < (await fs.lstat(path)).size && last === Infinity) yield { kind: 'gap' };
    } catch {
      yield { kind: 'gap' };
    }
  }
}

/** One line's event. Where a newline rotted two lines stand in one: whatever begins like a line is tried too. */
function judged(line: Buffer, origin: OriginId): Readable[] {
  const whole = eventOf(line, origin);
  if (whole) return [whole];
  const found: Readable[] = [{ kind: 'gap' }];
  const starts: number[] = [];
  for (let at = line.indexOf(START); at >= 0; at = line.indexOf(START, at + 1)) starts.push(at);
  if (starts.length < 2) return found;
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1];
    const piece = eventOf(end === undefined ? line.subarray(start) : Buffer.concat([line.subarray(start, end - 1), NEWLINE]), origin);
    if (piece) found.push(piece);
  }
  return found;
}

function eventOf(line: Buffer, origin: OriginId): Readable | null {
  if (!checkLine(line, null).ok) return null;
  try {
    const event = lift('partner', parseLine(line.toString('utf8')));
    // A copy: the chunk it lies in is used again.
    return event.origin === origin && Number.isSafeInteger(event.seq) ? { kind: 'event', event, line: Buffer.from(line) } : null;
  } catch {
    return null;
  }
}
