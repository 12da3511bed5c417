import { fail, ok, type Result } from '../result.ts';
import { withLineEnd, type LineEnd } from './encoding.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/**
 * Replaces each `oldText`, which must stand exactly once, by `newText`, literally (`$&` is text, case
 * 25; no loose match, case 27). All or nothing (WB-APPLY-002-AC4). A file with CRLF is matched with
 * either line end and keeps its own.
 * Codes: edit.none, edit.empty, edit.notFound, edit.notUnique, edit.overlap, edit.same; `n` is the
 * number of the edit, from 1.
 */
export function applyEdits(text: string, edits: readonly Edit[], lineEnd: LineEnd): Result<string> {
  if (edits.length === 0) return fail('edit.none');
  const found: { at: number; end: number; newText: string; n: number }[] = [];
  for (const [index, edit] of edits.entries()) {
    const n = index + 1;
    if (edit.oldText === '') return fail('edit.empty', { n });
    const match = locate(text, edit.oldText);
    if (match.at.length === 0) return fail('edit.notFound', { n });
    if (match.at.length > 1) return fail('edit.notUnique', { n, count: match.at.length });
    const at = match.at[0]!;
    found.push({ at, end: at + match.oldText.length, newText: replacement(edit.newText, match.crlf, lineEnd), n });
  }
  found.sort((a, b) => a.at - b.at);
  let out = '';
  let from = 0;
  for (const [i, hit] of found.entries()) {
    if (i > 0 && hit.at < found[i - 1]!.end) return fail('edit.overlap', { n: hit.n, other: found[i - 1]!.n });
    out += text.slice(from, hit.at) + hit.newText;
    from = hit.end;
  }
  out += text.slice(from);
  return out === text ? fail('edit.same') : ok(out);
}

/**
 * Replaces every exact, non-overlapping match from left to right, literally; says how many.
 * Codes: edit.empty, edit.notFound, edit.same.
 */
export function replaceAllText(text: string, edit: Edit, lineEnd: LineEnd): Result<{ readonly text: string; readonly count: number }> {
  if (edit.oldText === '') return fail('edit.empty', { n: 1 });
  const plain = text.split(edit.oldText);
  const crlf = plain.length === 1 && needsCrlf(edit.oldText);
  const pieces = crlf ? text.split(toCrlf(edit.oldText)) : plain;
  if (pieces.length === 1) return fail('edit.notFound', { n: 1 });
  const out = pieces.join(replacement(edit.newText, crlf, lineEnd));
  return out === text ? fail('edit.same') : ok({ text: out, count: pieces.length - 1 });
}

function locate(text: string, oldText: string): { at: number[]; oldText: string; crlf: boolean } {
  const literal = positions(text, oldText);
  if (literal.length > 0 || !needsCrlf(oldText)) return { at: literal, oldText, crlf: false };
  const other = toCrlf(oldText);
  return { at: positions(text, other), oldText: other, crlf: true };
}

/** Where `part` stands, overlapping places too: `aa` stands twice in `aaa`. Stops counting at 1,000. */
function positions(text: string, part: string): number[] {
  const at: number[] = [];
  for (let i = text.indexOf(part); i >= 0 && at.length < 1000; i = text.indexOf(part, i + 1)) at.push(i);
  return at;
}

function replacement(newText: string, crlf: boolean, lineEnd: LineEnd): string {
  return withLineEnd(newText, crlf ? 'crlf' : lineEnd);
}

const needsCrlf = (text: string) => text.includes('\n') && !text.includes('\r');
const toCrlf = (text: string) => text.split('\n').join('\r\n');
