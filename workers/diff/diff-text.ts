import { decodeText, lineEndOf, type TextFile } from '#domain/text/encoding.ts';
import { lineDiff } from './line-diff.ts';

/** What the panel draws, computed from the bytes of two versions; null stands for “no file”. Pure. */
export interface TextDiff {
  readonly kind: 'text';
  readonly added: number;
  readonly removed: number;
  readonly oldLines: number;
  readonly newLines: number;
  readonly hunks: readonly { readonly oldFrom: number; readonly oldTo: number; readonly newFrom: number; readonly newTo: number }[];
  readonly oldText: readonly string[];
  readonly newText: readonly string[];
  readonly encoding: string;
  readonly lineEnd: 'lf' | 'crlf' | 'mixed' | 'none';
  readonly bom: boolean;
  readonly oldEndsWithNewline: boolean;
  readonly newEndsWithNewline: boolean;
  readonly coarse: boolean;
}

const NOTHING: TextFile = { text: '', encoding: 'utf-8', bom: false, lineEnd: 'none' };

/** Null: one of the two is not text. */
export function diffText(before: Uint8Array | null, after: Uint8Array | null): TextDiff | null {
  const old = before ? decodeText(before) : { ok: true as const, value: NOTHING };
  const now = after ? decodeText(after) : { ok: true as const, value: NOTHING };
  if (!old.ok || !now.ok) return null;
  const diff = lineDiff(old.value.text, now.value.text);
  const oldText = linesOf(old.value.text);
  const newText = linesOf(now.value.text);
  const shown = after ? now.value : old.value;
  const end = lineEndOf(shown.text);
  return {
    kind: 'text', added: diff.added, removed: diff.removed, oldLines: oldText.length, newLines: newText.length, oldText, newText,
    hunks: diff.hunks.map((h) => ({ oldFrom: h.beforeStart, oldTo: h.beforeStart + h.beforeCount, newFrom: h.afterStart, newTo: h.afterStart + h.afterCount })),
    encoding: shown.encoding, lineEnd: end === 'cr' ? 'mixed' : end, bom: shown.bom, coarse: diff.capped,
    oldEndsWithNewline: endsWhole(old.value.text), newEndsWithNewline: endsWhole(now.value.text),
  };
}

function endsWhole(text: string): boolean {
  return text === '' || /[\r\n]$/.test(text);
}

/** Lines without their ends; a final line end opens no further line. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (/[\n\r]$/.test(text)) lines.pop();
  return lines;
}
