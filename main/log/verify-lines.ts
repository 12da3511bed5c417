import type { EventId, OriginId } from '#domain/ids.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { checkText, DATA_HASH_AT, ENVELOPE_AT, envelopeOf, FIRST_PREV, MAX_LAMPORT, parseLine, sha256 } from './line.ts';
import type { Anchor } from './origin-log.ts';
import { lineChunks, segmentName } from './segments.ts';
import type { VerifyProblem } from './verify-problem.ts';

/** Bytes that are read, hashed and walked between two pauses. */
const VERIFY_CHUNK = 256 * 1024;

/** What a walk gathers over all origins. */
export interface Findings {
  readonly problems: VerifyProblem[];
  events: number;
  /** Stretches of lines without payload that name the same erasure. */
  readonly erased: { readonly origin: OriginId; readonly from: number; to: number; readonly by: string; readonly segment: string }[];
  readonly erasures: Map<string, readonly { readonly origin: OriginId; readonly from: number; readonly to: number }[]>;
  /** Distinct blobs that lines need, 32 bytes each as latin1. */
  readonly refs: Set<string>;
}

/** `"prev":…,"dataHash":…,"id":…,"origin":…,"seq":…,"lamport":…` stand first in the envelope, in this order. */
const PLACE = /"origin":"(origin_[a-z2-7]{26})","seq":(\d+),"lamport":(\d+),"at"/y;
const PREV_AT = 85;
const PLACE_AT = 269;
const START = '{"h":"';
const ENVELOPE = '","e":';
const BOUNDARY = '},"d":';
const LAMPORT = ',"lamport":';
const REFS = '"refs":';
const NO_REFS = '[],"type":"';
/** No line is shorter. */
const SHORTEST = 300;
const ERASURE = 'ContentErased"';

/** Walks one origin line by line: hashes, chain, seq, lamport. Goes on after damage: everything wrong is named. */
export class LineWalk {
  readonly #origin: OriginId;
  /** How a line of this origin says its place, up to its seq. */
  readonly #place: string;
  readonly #found: Findings;
  readonly #anchor: Anchor | null;
  readonly #upTo: number;
  /** Null after damage or a skipped stretch: the next line's link cannot be judged. */
  #prev: string | null = FIRST_PREV;
  #seq = 0;
  #lamport = 0;
  #seen = false;

  constructor(origin: OriginId, found: Findings, anchor: Anchor | null, upTo: number) {
    this.#origin = origin;
    this.#place = `"origin":"${origin}","seq":`;
    this.#found = found;
    this.#anchor = anchor;
    this.#upTo = upTo;
  }

  gap(number: number): void {
    this.#problem('verify.gap', { segment: segmentName(number), afterSeq: this.#seq });
    this.#prev = null;
  }

  /** Lines that a block vouches for. */
  skip(lines: number): void {
    this.#seq += lines;
    this.#prev = null;
    this.#found.events += lines;
    if (this.#anchor && this.#anchor.seq <= this.#seq) this.#seen = true;
  }

  async segment(fs: FsPort, path: string, number: number, from: number, size: number, progress: (bytes: number) => Promise<void>): Promise<void> {
    const name = segmentName(number);
    let at = from;
    for await (const { bytes } of lineChunks(fs, path, from, size, VERIFY_CHUNK, true)) {
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(0x0a, start) + 1;
        if (this.#seq >= this.#upTo) return;
        if (!this.#goodLine(bytes, start, end)) this.#line(bytes.subarray(start, end), name, at + start);
        start = end;
      }
      at += bytes.length;
      await progress(bytes.length);
    }
    if (at < size && this.#seq < this.#upTo) {
      this.#problem('verify.torn', { segment: name, offset: at, bytes: size - at });
      this.#prev = null;
    }
  }

  end(mode: 'full' | 'quick'): void {
    if (this.#anchor && (!this.#seen || (mode === 'full' && this.#seq < this.#anchor.seq))) this.#problem('verify.anchor', { seq: this.#anchor.seq, lastSeq: this.#seq });
  }

  /**
   * The common case, told from its bytes in one pass: linked, next in order, whole, not erased, naming no
   * blob. Anything else is for {@link #line}, which says what it is. Costs little more than its two hashes.
   */
  #goodLine(bytes: Buffer, from: number, end: number): boolean {
    if (end - from < SHORTEST || this.#prev === null || !same(bytes, from + PREV_AT, this.#prev)) return false;
    let at = from + PLACE_AT;
    if (!same(bytes, at, this.#place)) return false;
    at += this.#place.length;
    let seq = 0;
    for (let c = bytes[at]!; c >= 0x30 && c <= 0x39; c = bytes[++at]!) seq = seq * 10 + c - 0x30;
    if (seq !== this.#seq + 1 || this.#anchor?.seq === seq || !same(bytes, at, LAMPORT)) return false;
    at += LAMPORT.length;
    let lamport = 0;
    for (let c = bytes[at]!; c >= 0x30 && c <= 0x39; c = bytes[++at]!) lamport = lamport * 10 + c - 0x30;
    if (lamport <= this.#lamport || lamport > MAX_LAMPORT) return false;
    // The envelope's only list is that of its blobs, and its only closing brace is its end.
    while (at < end && bytes[at] !== 0x5b) at++;
    if (!same(bytes, at, NO_REFS) || same(bytes, at + NO_REFS.length, ERASURE)) return false;
    while (at < end && bytes[at] !== 0x7d) at++;
    const data = at + BOUNDARY.length;
    if (!same(bytes, at, BOUNDARY) || bytes[data] !== 0x5b || bytes[end - 2] !== 0x7d || !same(bytes, from, START) || !same(bytes, from + ENVELOPE_AT - ENVELOPE.length, ENVELOPE)) return false;
    const hash = sha256(bytes.subarray(from + ENVELOPE_AT, at + 1));
    if (!same(bytes, from + START.length, hash) || !same(bytes, from + DATA_HASH_AT, sha256(bytes.subarray(data, end - 2)))) return false;
    this.#seq = seq;
    this.#lamport = lamport;
    this.#prev = hash;
    this.#found.events++;
    return true;
  }

  #line(line: Buffer, segment: string, offset: number): void {
    const text = line.toString('latin1');
    const check = checkText(line, text, null);
    PLACE.lastIndex = PLACE_AT;
    const place = check.ok ? PLACE.exec(text) : null;
    if (!check.ok || !place || place[1] !== this.#origin) {
      this.#problem('verify.line', { segment, offset, afterSeq: this.#seq });
      this.#seq++;
      this.#prev = null;
      return;
    }
    const seq = Number(place[2]);
    const lamport = Number(place[3]);
    const linked = this.#prev === null || text.startsWith(this.#prev, PREV_AT);
    if (!linked || seq !== this.#seq + 1 || lamport <= this.#lamport || lamport > MAX_LAMPORT) this.#problem('verify.chain', { segment, offset, seq, afterSeq: this.#seq });
    this.#seq = seq;
    this.#lamport = lamport;
    this.#prev = check.hash;
    this.#found.events++;
    if (this.#anchor?.seq === seq) {
      this.#seen = true;
      if (this.#anchor.h !== check.hash) this.#problem('verify.anchor', { seq, lastSeq: seq });
    }
    if (check.erased) this.#erasedLine(line, segment, seq);
    else {
      // Nothing before the refs holds quotes of its own: the first hit is the envelope's.
      const refs = text.indexOf(REFS, PLACE_AT) + REFS.length;
      if (!text.startsWith(NO_REFS, refs) || text.startsWith(ERASURE, refs + NO_REFS.length)) this.#gather(line);
    }
  }

  #erasedLine(line: Buffer, segment: string, seq: number): void {
    const by = line.toString('latin1', line.length - 36, line.length - 3).replace(/^.*"/, '') as EventId;
    if (envelopeOf(line).class !== 'content') this.#problem('verify.erased', { seq, segment });
    const open = this.#found.erased.at(-1);
    if (open && open.origin === this.#origin && open.by === by && open.to === seq - 1) open.to = seq;
    else this.#found.erased.push({ origin: this.#origin, from: seq, to: seq, by, segment });
  }

  #gather(line: Buffer): void {
    const { refs, type, id } = envelopeOf(line);
    for (const hash of refs) this.#found.refs.add(Buffer.from(hash, 'hex').toString('latin1'));
    if (type !== 'ContentErased') return;
    const { data } = parseLine(line.toString('utf8'));
    const ranges = (data as { ranges?: Findings['erasures'] extends Map<string, infer R> ? R : never } | null)?.ranges ?? [];
    this.#found.erasures.set(id, ranges);
  }

  #problem(code: string, params: VerifyProblem['params']): void {
    this.#found.problems.push({ code, params: { origin: this.#origin, ...params } });
  }
}

/** True when the bytes at a place are those of an ASCII text. */
function same(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
