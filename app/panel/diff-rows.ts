import { presentableDiff } from '@codemirror/merge';
import type { DiffHunk, DiffView } from '#main/api/views.ts';

export type TextDiff = Extract<DiffView, { kind: 'text' }>;
export type Mark = readonly [from: number, to: number];
export type DiffRow =
  | { readonly kind: 'same'; readonly no: number; readonly text: string }
  /** `no` is the old line's number for a removed line, the new one's otherwise (WB-PANEL-003-AC5). */
  | { readonly kind: 'add' | 'del'; readonly no: number; readonly text: string; readonly marks: readonly Mark[] }
  /** An unchanged stretch that is folded: new lines `from` … `to` (zero-based, half-open). */
  | { readonly kind: 'fold'; readonly from: number; readonly to: number };

export const ROW_HEIGHT = 20;
export const FOLD_HEIGHT = 28;
const CONTEXT = 3;
/** Folding fewer lines than this would hide nothing worth hiding. */
const MIN_FOLD = 4;
/** Above this many characters a line's words are not compared: the row's ground says enough. */
const MAX_INTRALINE = 2000;

/** Rows of a unified diff. `opened` holds the `from` of every fold that the person opened. */
export function diffRows(diff: TextDiff, opened: ReadonlySet<number>, context = CONTEXT): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let at = 0;
  diff.hunks.forEach((hunk, i) => {
    unchanged(rows, diff, at, hunk.newFrom, opened, i === 0 ? 0 : context, context);
    changed(rows, diff, hunk);
    at = hunk.newTo;
  });
  unchanged(rows, diff, at, diff.newText.length, opened, diff.hunks.length > 0 ? context : 0, 0);
  return rows;
}

function unchanged(rows: DiffRow[], diff: TextDiff, from: number, to: number, opened: ReadonlySet<number>, head: number, tail: number): void {
  const foldFrom = Math.min(from + head, to);
  const foldTo = Math.max(to - tail, foldFrom);
  const folds = foldTo - foldFrom >= MIN_FOLD && !opened.has(foldFrom);
  // A last line that only ends the text holds nothing to show.
  const last = to === diff.newText.length && diff.newText[to - 1] === '' && to > 1 ? to - 1 : to;
  for (let n = from; n < last; n++) {
    if (folds && n === foldFrom) {
      rows.push({ kind: 'fold', from: foldFrom, to: Math.min(foldTo, last) });
      n = foldTo - 1;
    } else rows.push({ kind: 'same', no: n + 1, text: diff.newText[n] ?? '' });
  }
}

function changed(rows: DiffRow[], diff: TextDiff, hunk: DiffHunk): void {
  const removed = diff.oldText.slice(hunk.oldFrom, hunk.oldTo);
  const added = diff.newText.slice(hunk.newFrom, hunk.newTo);
  const pairs = removed.map((text, i) => wordMarks(text, added[i]));
  removed.forEach((text, i) => rows.push({ kind: 'del', no: hunk.oldFrom + i + 1, text, marks: pairs[i]?.old ?? [] }));
  added.forEach((text, i) => rows.push({ kind: 'add', no: hunk.newFrom + i + 1, text, marks: pairs[i]?.new ?? [] }));
}

/** Changed words of two lines that stand for each other; none when they have little in common. */
export function wordMarks(before: string, after: string | undefined): { readonly old: readonly Mark[]; readonly new: readonly Mark[] } {
  const none = { old: [], new: [] };
  if (after === undefined || before.length > MAX_INTRALINE || after.length > MAX_INTRALINE) return none;
  const changes = presentableDiff(before, after);
  const gone = changes.reduce((sum, c) => sum + c.toA - c.fromA, 0);
  const come = changes.reduce((sum, c) => sum + c.toB - c.fromB, 0);
  const shared = before.length - gone;
  if (shared * 3 < Math.max(before.length, after.length) || (gone === before.length && come === after.length)) return none;
  return {
    old: changes.filter((c) => c.toA > c.fromA).map((c): Mark => [c.fromA, c.toA]),
    new: changes.filter((c) => c.toB > c.fromB).map((c): Mark => [c.fromB, c.toB]),
  };
}

/** A line cut into plain and marked stretches, for drawing. */
export function stretches(text: string, marks: readonly Mark[]): readonly { readonly text: string; readonly marked: boolean }[] {
  const out: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from > at) out.push({ text: text.slice(at, from), marked: false });
    out.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length || out.length === 0) out.push({ text: text.slice(at), marked: false });
  return out;
}

/** Where each row begins, and at the end the whole height. Rows have two heights only, so windows are exact. */
export function rowOffsets(rows: readonly DiffRow[]): Float64Array {
  const offsets = new Float64Array(rows.length + 1);
  rows.forEach((row, i) => (offsets[i + 1] = (offsets[i] ?? 0) + (row.kind === 'fold' ? FOLD_HEIGHT : ROW_HEIGHT)));
  return offsets;
}

/** The rows that meet a window, by binary search. */
export function visibleRows(offsets: Float64Array, top: number, height: number, over = 400): readonly [from: number, to: number] {
  const last = offsets.length - 1;
  const find = (y: number) => {
    let low = 0;
    let high = last;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((offsets[mid + 1] ?? Infinity) <= y) low = mid + 1;
      else high = mid;
    }
    return low;
  };
  return [find(Math.max(0, top - over)), Math.min(last, find(top + height + over) + 1)];
}

/** Columns of the widest row, East Asian characters counted double and tabs as four. */
export function widestColumns(rows: readonly DiffRow[]): number {
  let widest = 0;
  for (const row of rows) if (row.kind !== 'fold') widest = Math.max(widest, columns(row.text, widest));
  return widest;
}

function columns(text: string, atLeast: number): number {
  if (text.length * 4 <= atLeast) return 0;
  let n = 0;
  for (const c of text) {
    const code = c.codePointAt(0) ?? 0;
    n += code === 9 ? 4 : code >= 0x1100 ? 2 : 1;
  }
  return n;
}
