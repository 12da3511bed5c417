import { fail, ok, type Result } from '../result.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

export type LineEnd = 'lf' | 'crlf' | 'cr' | 'mixed' | 'none';

/** A text file as read: what is needed to write it back the way it was. */
export interface TextFile {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** The file begins with a byte-order mark (not part of `text`). */
  readonly bom: boolean;
  readonly lineEnd: LineEnd;
}

const MARK = '\ufeff';

/**
 * Reads bytes as text: UTF-8 with or without a mark, or UTF-16 with one. Nothing is guessed and nothing
 * replaced (C-08, cases 19 and 21). Codes: text.binary (NUL inside), text.notUtf8.
 */
export function decodeText(bytes: Uint8Array): Result<TextFile> {
  const wide = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
  if (wide !== null) {
    const text = decodeUtf16(bytes, wide);
    if (text === null) return fail('text.notUtf8');
    return text.includes('\0') ? fail('text.binary') : ok({ text, encoding: wide, bom: true, lineEnd: lineEndOf(text) });
  }
  if (bytes.includes(0)) return fail('text.binary');
  const decoded = decodeUtf8(bytes);
  if (decoded === null) return fail('text.notUtf8');
  const bom = decoded.startsWith(MARK);
  const text = bom ? decoded.slice(1) : decoded;
  return ok({ text, encoding: 'utf-8', bom, lineEnd: lineEndOf(text) });
}

/**
 * Reads bytes that an edit will write back: strict UTF-8 only, since anything else would have to be
 * converted. Codes: text.binary, text.notUtf8.
 */
export function decodeEditable(bytes: Uint8Array): Result<TextFile> {
  const read = decodeText(bytes);
  return read.ok && read.value.encoding !== 'utf-8' ? fail('text.notUtf8', { encoding: read.value.encoding }) : read;
}

/** Bytes for a text with the mark of the file it replaces; a mark in the text itself adds none (case 17). Code: text.unpaired. */
export function encodeText(text: string, bom: boolean): Result<Uint8Array> {
  const bare = text.startsWith(MARK) ? text.slice(1) : text;
  const bytes = encodeUtf8(bom ? MARK + bare : bare);
  return bytes === null ? fail('text.unpaired') : ok(bytes);
}

/** How the lines of a text end. `mixed` when not all end alike. */
export function lineEndOf(text: string): LineEnd {
  let crlf = 0;
  let lf = 0;
  let cr = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 13) {
      if (text.charCodeAt(i + 1) === 10) {
        crlf += 1;
        i += 1;
      } else cr += 1;
    } else if (unit === 10) lf += 1;
  }
  const kinds = (crlf > 0 ? 1 : 0) + (lf > 0 ? 1 : 0) + (cr > 0 ? 1 : 0);
  if (kinds === 0) return 'none';
  if (kinds > 1) return 'mixed';
  return crlf > 0 ? 'crlf' : lf > 0 ? 'lf' : 'cr';
}

/**
 * Text written with LF, with the line ends of the file it goes into (case 15). Text that brings its own
 * CRLF, and files whose lines end in several ways, are left as given.
 */
export function withLineEnd(text: string, lineEnd: LineEnd): string {
  if (text.includes('\r')) return text;
  if (lineEnd === 'crlf') return text.replaceAll('\n', () => '\r\n');
  if (lineEnd === 'cr') return text.replaceAll('\n', () => '\r');
  return text;
}

function decodeUtf16(bytes: Uint8Array, order: 'utf-16le' | 'utf-16be'): string | null {
  if (bytes.length % 2 !== 0) return null;
  const [high, low] = order === 'utf-16le' ? [1, 0] : [0, 1];
  let text = '';
  let units: number[] = [];
  for (let i = 2; i < bytes.length; i += 2) {
    units.push((bytes[i + high]! << 8) | bytes[i + low]!);
    if (units.length >= 8192) {
      text += String.fromCharCode(...units);
      units = [];
    }
  }
  text += String.fromCharCode(...units);
  return encodeUtf8(text) === null ? null : text;
}
