import * as z from 'zod/mini';
import type { Result } from '#domain/result.ts';
import { decodeText, type TextFile } from '#domain/text/encoding.ts';
import { withoutEncodedData } from '#domain/text/shorten.ts';
import { wholeCharacters } from '#domain/text/utf8.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { failedOutcome } from './support/outcomes.ts';
import { prepareLook, READ_BYTES, readHead } from './support/reading.ts';
import type { Prepared, ToolOutcome } from './types.ts';

/** Largest file of which a range of lines is shown. */
const RANGE_BYTES = 16 * 1024 * 1024;

const line = z.optional(z.number().check(z.int(), z.minimum(1)));
const args = z.strictObject({ path: pathText, from: line, to: line });

/** Reads a text file, or lines of it; 128 KB at most, and says what it left out (WA-READ-01…03, C-09). */
export const readFile = defineTool(args, {
  name: 'read_file',
  description: 'Read a text file. from and to are line numbers, from 1, both included. Shows at most 128 KB per call and says when there is more. Binary files and files that may hold secrets are refused.',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.read', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> =>
    prepareLook(context, 'read', a.path, readFile.shown(a), async (target, signal): Promise<ToolOutcome> => {
      if (target.kind === 'absent') return failedOutcome({ code: 'change.missing', params: { path: target.shownPath } });
      const ranged = a.from !== undefined || a.to !== undefined;
      const read = await readHead(context.fs, target.path, ranged ? RANGE_BYTES : READ_BYTES + 4, signal);
      if (!read.ok) return failedOutcome(read.error);
      const { head, size, hash } = read.value;
      if (ranged && size > RANGE_BYTES) return failedOutcome({ code: 'tool.tooLarge', params: { path: target.shownPath, size } });
      const decoded = decodePart(head, size, ranged ? RANGE_BYTES : READ_BYTES);
      if (!decoded.ok) return failedOutcome({ ...decoded.error, params: { path: target.shownPath } });
      if (hash !== null) context.seen.set(target.path, hash);
      const part = ranged ? linesOf(decoded.value.text, a.from ?? 1, a.to ?? Infinity) : { text: decoded.value.text, from: 1, to: 0, total: 0, cut: size > READ_BYTES };
      const short = withoutEncodedData(part.text);
      const notes = [
        describe(decoded.value),
        ...(ranged ? [`lines ${part.from}–${part.to} of ${part.total}`] : []),
        ...(part.cut ? [`only the first ${ranged ? 'part' : `${READ_BYTES / 1024} KB`} of ${ranged ? 'this range' : `${size} bytes`} is shown; ask for a range of lines`] : []),
        ...(short.cut > 0 ? [`${short.cut} characters of encoded data left out`] : []),
      ].filter((note) => note !== '');
      const note = notes.length === 0 ? '' : `[${target.shownPath}: ${notes.join('; ')}]\n`;
      return {
        outcome: 'ok', text: note + short.text,
        data: { path: target.path, text: short.text, size, truncated: part.cut, encoding: decoded.value.encoding, bom: decoded.value.bom, lineEnd: decoded.value.lineEnd, ...(ranged ? { from: part.from, to: part.to, lines: part.total } : {}) },
      };
    }),
});

/** Decodes the beginning of a file without cutting its last character in two. */
function decodePart(head: Uint8Array, size: number, limit: number): Result<TextFile> {
  if (size <= limit) return decodeText(head);
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const part = decodeText(wide ? head.subarray(0, limit & ~1) : wholeCharacters(head, limit));
  // A pair of UTF-16 units may still be cut.
  return part.ok || !wide ? part : decodeText(head.subarray(0, (limit & ~1) - 2));
}

function linesOf(text: string, from: number, to: number): { text: string; from: number; to: number; total: number; cut: boolean } {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const wanted = lines.slice(from - 1, to);
  let out = '';
  let shown = 0;
  for (const one of wanted) {
    if (out.length + one.length > READ_BYTES && shown > 0) break;
    out += one.slice(0, READ_BYTES);
    shown += 1;
  }
  return { text: out, from, to: from - 1 + shown, total: lines.length, cut: shown < wanted.length || out.length < wanted.slice(0, shown).join('').length };
}

function describe(file: TextFile): string {
  const name = file.encoding === 'utf-8' ? (file.bom ? 'UTF-8 with a byte-order mark' : '') : `${file.encoding.toUpperCase()}, cannot be edited`;
  return [name, file.lineEnd === 'crlf' ? 'CRLF line ends' : file.lineEnd === 'mixed' ? 'mixed line ends' : ''].filter((part) => part !== '').join(', ');
}

