import { hash as hashOnce } from 'node:crypto';
import type { EventDraft, StoredEvent } from '#domain/events/index.ts';
import type { EventId, Hash, OriginId } from '#domain/ids.ts';
import type { Random } from '#main/ports/random.ts';

/** A line with its newline is at most this long (design §3). */
export const MAX_LINE = 1024 * 1024;
/** Largest lamport that is ever written (design §3). */
export const MAX_LAMPORT = 2 ** 48;
/** `prev` of an origin's first event. */
export const FIRST_PREV = '0'.repeat(64) as Hash;

const HASH_AT = 6; // {"h":"
export const ENVELOPE_AT = 76; // {"h":"<64>","e":
export const DATA_HASH_AT = ENVELOPE_AT + 87; // {"prev":"<64>","dataHash":"
const BOUNDARY_TEXT = '},"d":';
const BOUNDARY = Buffer.from(BOUNDARY_TEXT);
const ERASED_MARK = '},"d":null,"x":"';
const NEWLINE = 0x0a;

export interface Sealed {
  readonly bytes: Buffer;
  readonly hash: Hash;
}

/**
 * One event as its fixed byte layout (design §3):
 * `{"h":"<64 hex>","e":{…},"d":["<salt>",<data>]}` and a newline. `h` covers the bytes of `e`,
 * `dataHash` in `e` those of `d`; nothing is ever re-serialised to be verified. The text is encoded
 * once, with holes for both hashes: of the bytes that are stored, not of a string that became them.
 */
export function seal(
  draft: EventDraft, place: { readonly id: EventId; readonly origin: OriginId; readonly seq: number; readonly lamport: number; readonly at: string; readonly prev: Hash }, salt: string, slab: Slab = new Slab(),
): Sealed {
  const e =
    `{"prev":"${place.prev}","dataHash":"${FIRST_PREV}","id":"${place.id}","origin":"${place.origin}","seq":${place.seq},"lamport":${place.lamport},` +
    `"at":"${place.at}","actor":"${draft.actor}","run":${textOrNull(draft.run)},"cause":${textOrNull(draft.cause)},"class":"${draft.class}",` +
    `"refs":${draft.refs.length === 0 ? '[]' : JSON.stringify(draft.refs)},"type":${JSON.stringify(draft.type)},"v":${draft.v}}`;
  // Two pieces: the envelope has one byte a character and stays so, whatever alphabet the data is in.
  const head = `{"h":"${FIRST_PREV}","e":${e},"d":`;
  const { bytes, at } = slab.encode(head, `["${salt}",${JSON.stringify(draft.data)}]}\n`);
  const split = at - BOUNDARY.length + 1;
  bytes.write(sha256(bytes.subarray(split + BOUNDARY.length - 1, bytes.length - 2)), DATA_HASH_AT, 'latin1');
  const hash = sha256(bytes.subarray(ENVELOPE_AT, split)) as Hash;
  bytes.write(hash, HASH_AT, 'latin1');
  return { bytes, hash };
}

function textOrNull(id: string | null): string {
  return id === null ? 'null' : JSON.stringify(id);
}

const SLAB_BYTES = 256 * 1024;
/** Lines sealed one after another lie one after another in memory: a batch is written without being copied together, and a line costs no allocation. */
export class Slab {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;

  /** Two texts one after the other, and where the second begins. */
  encode(head: string, rest: string): { readonly bytes: Buffer; readonly at: number } {
    // No character of UTF-16 takes more than three bytes of UTF-8.
    const room = (head.length + rest.length) * 3;
    if (room > SLAB_BYTES / 4) return { bytes: Buffer.from(head + rest), at: Buffer.byteLength(head) };
    if (this.#used + room > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const from = this.#used;
    const at = this.#bytes.write(head, from, 'utf8');
    this.#used += at + this.#bytes.write(rest, from + at, 'utf8');
    return { bytes: this.#bytes.subarray(from, this.#used), at };
  }
}

/** Lines as one buffer: the very bytes where they lie side by side, else a copy. */
export function joined(lines: readonly Buffer[]): Buffer {
  const first = lines[0]!;
  let end = first.byteOffset;
  for (const line of lines) {
    if (line.buffer !== first.buffer || line.byteOffset !== end) return Buffer.concat(lines);
    end += line.length;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** What a line says of itself, by its bytes alone: no JSON parser is needed (design §3). */
export type LineCheck =
  | { readonly ok: true; readonly hash: string; readonly erased: boolean }
  /**
   * `torn`: no newline. `zeros`: complete but with zero bytes, which are never sealed: a page that did not
   * reach the disk, or rot (see `isLostPage`). `damaged`: complete, but its bytes are not what was sealed.
   */
  | { readonly ok: false; readonly why: 'torn' | 'zeros' | 'damaged' };

/** Checks one line (with its newline) against its own hashes and the hash before it (null: not checked). */
export function checkLine(line: Uint8Array, prev: string | null): LineCheck {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  return checkText(bytes, bytes.toString('latin1'), prev);
}

/** The same for who has the line as latin1 text too: one decoding and string searches cost half of searching bytes. */
export function checkText(bytes: Buffer, text: string, prev: string | null): LineCheck {
  if (bytes.at(-1) !== NEWLINE) return { ok: false, why: 'torn' };
  if (text.includes('\0')) return { ok: false, why: 'zeros' };
  const damaged: LineCheck = { ok: false, why: 'damaged' };
  const split = text.indexOf(BOUNDARY_TEXT, ENVELOPE_AT);
  if (split < 0 || bytes.length < 300) return damaged;
  if (!text.startsWith('{"h":"') || !text.startsWith('","e":', HASH_AT + 64)) return damaged;
  const hash = text.slice(HASH_AT, HASH_AT + 64);
  if (sha256(bytes.subarray(ENVELOPE_AT, split + 1)) !== hash) return damaged;
  // `prev` and `dataHash` stand first in `e`, at fixed places: {"prev":"<64>","dataHash":"<64>"
  if (prev !== null && text.slice(ENVELOPE_AT + 9, ENVELOPE_AT + 73) !== prev) return damaged;
  if (text.startsWith(ERASED_MARK, split)) return /^\},"d":null,"x":"event_[a-z2-7]{26}"\}\n$/.test(text.slice(split)) ? { ok: true, hash, erased: true } : damaged;
  const data = bytes.subarray(split + BOUNDARY.length, bytes.length - 2);
  if (bytes.at(-2) !== 0x7d || sha256(data) !== text.slice(ENVELOPE_AT + 87, ENVELOPE_AT + 151)) return damaged;
  return { ok: true, hash, erased: false };
}

interface RawLine {
  readonly h: string;
  readonly e: Omit<StoredEvent, 'data' | 'erasedBy'> & { readonly prev: string };
  readonly d: readonly [string, unknown] | null;
  readonly x?: EventId;
}

/** Parses one line's text (no newline needed). Throws on bad JSON: callers read acknowledged, checked bytes. */
export function parseLine(text: string): StoredEvent {
  const { e, d, x } = JSON.parse(text) as RawLine;
  const { id, origin, seq, lamport, at, actor, run, cause, refs, type, v } = e;
  const base = { id, origin, seq, lamport, at, actor, run, cause, class: e.class, refs, type, v };
  return d ? { ...base, data: d[1] } : { ...base, data: null, ...(x ? { erasedBy: x } : {}) };
}

/** The same line with its payload gone: envelope, hash and chain unchanged. */
export function eraseLine(line: Uint8Array, erasure: EventId): Buffer {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  const split = bytes.indexOf(BOUNDARY, ENVELOPE_AT);
  if (split < 0) throw new Error('not a line');
  return Buffer.concat([bytes.subarray(0, split), Buffer.from(`},"d":null,"x":"${erasure}"}\n`)]);
}

/** seq, lamport, class of a checked line, without parsing its data. */
export function envelopeOf(line: Uint8Array): RawLine['e'] & { readonly h: Hash } {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  const split = bytes.indexOf(BOUNDARY, ENVELOPE_AT);
  return { ...(JSON.parse(bytes.toString('utf8', ENVELOPE_AT, split + 1)) as RawLine['e']), h: bytes.toString('latin1', HASH_AT, HASH_AT + 64) as Hash };
}

/** Smallest piece that a disk writes whole. */
const SECTOR = 512;

/**
 * True when every run of zeros in a line looks like pieces of the disk that were never written: it
 * begins at the line's start or a sector's, and ends at a sector's end or the file's. A single byte that
 * rotted to zero does not, and must never be taken for a torn end and cut (design §3).
 *
 * @param at byte offset of the line in its file
 * @param fileSize bytes of the whole file
 */
export function isLostPage(line: Uint8Array, at: number, fileSize: number): boolean {
  for (let i = 0; i < line.length; i++) {
    if (line[i] !== 0) continue;
    const begin = i;
    while (i < line.length && line[i] === 0) i++;
    const end = at + i;
    if ((begin > 0 && (at + begin) % SECTOR !== 0) || (end % SECTOR !== 0 && end !== fileSize)) return false;
  }
  return true;
}

/** A rest without a newline that is a whole, sealed line but for its last byte: the newline rotted, nothing was cut off. */
export function isFlippedNewline(rest: Uint8Array, prev: string | null): boolean {
  if (rest.length === 0 || rest.at(-1) === 0) return false;
  const whole = Buffer.from(rest);
  whole[whole.length - 1] = NEWLINE;
  return checkLine(whole, prev).ok;
}

const SALT_BYTES = 16;
/** A fresh salt: without it nobody can test a guess against the `dataHash` of an erased line. */
export function saltOf(random: Random): string {
  return Buffer.from(random.bytes(SALT_BYTES)).toString('base64url');
}

/** Lower-case hex. The one-shot call: half the cost of a hasher object on lines of this size. */
export function sha256(bytes: string | Uint8Array): string {
  return hashOnce('sha256', bytes, 'hex');
}
