import * as z from 'zod/mini';
import { decodeText } from '#domain/text/encoding.ts';
import { wholeCharacters } from '#domain/text/utf8.ts';
import { defineTool, pathText } from './support/define.ts';
import { failedOutcome } from './support/outcomes.ts';
import { peek, prepareLook, READ_BYTES } from './support/reading.ts';
import { searchRoots, walk } from './support/walk.ts';
import type { Prepared, ToolContext, ToolOutcome } from './types.ts';

/** WA-STEXT-01, -03; files above 2 MB are counted and skipped (C-09). */
export const MATCH_LIMIT = 50;
export const TEXT_FILES_LIMIT = 1000;
export const SKIP_BYTES = 2 * 1024 * 1024;
const SNIPPET = 200;

const args = z.strictObject({ query: z.string().check(z.minLength(1), z.maxLength(500)), path: z.optional(pathText), caseSensitive: z.optional(z.boolean()) });

interface Match {
  readonly path: string;
  readonly shown: string;
  readonly line: number;
  readonly snippet: string;
}
interface Tally {
  readonly matches: Match[];
  scanned: number;
  large: number;
  sensitive: number;
  partly: number;
  full: boolean;
}

/** Finds literal text in text files: path, line and snippet (WA-STEXT-01…04). Files that may hold secrets are never read. */
export const searchText = defineTool(args, {
  name: 'search_text',
  description: 'Find literal text in the text files of the work addresses, or below path (a folder or one file). Ignores case unless caseSensitive. At most 50 matches from 1000 files, the first 128 KB of each; files above 2 MB and files that may hold secrets are skipped.',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.search', params: { query: a.query } }),
  prepare: (a, context): Promise<Prepared> => {
    const roots = searchRoots(context, a.path);
    if (roots.length === 0) return Promise.resolve({ go: 'refuse', outcome: failedOutcome({ code: 'gate.noAddress' }, 'refused') });
    return prepareLook(context, 'search', roots[0]!.path, searchText.shown(a), async (first, signal): Promise<ToolOutcome> => {
      if (first.kind === 'absent') return failedOutcome({ code: 'change.missing', params: { path: first.shownPath } });
      const tally: Tally = { matches: [], scanned: 0, large: 0, sensitive: 0, partly: 0, full: false };
      let more = false;
      for (const [i, root] of roots.entries()) {
        const top = i === 0 ? first.path : root.path;
        const walked = first.kind === 'file' ? { files: [{ path: top, shown: first.shownPath, name: '' }], more: false } : await walk(context, top, signal);
        more ||= walked.more;
        for (const file of walked.files) {
          if (signal.aborted || tally.full) break;
          await searchOne(context, file, root.prefix, a, tally);
        }
      }
      return said(tally, more);
    });
  },
});

async function searchOne(context: ToolContext, file: { path: string; shown: string }, prefix: string, a: z.infer<typeof args>, tally: Tally): Promise<void> {
  if (tally.scanned >= TEXT_FILES_LIMIT) {
    tally.full = true;
    return;
  }
  const verdict = await context.gate.judge('search', file.path, context.gateContext);
  if (verdict.verdict !== 'do') {
    if (verdict.verdict === 'refuse' && verdict.code === 'gate.sensitive') tally.sensitive += 1;
    return;
  }
  const read = await peek(context.fs, verdict.target.path, READ_BYTES + 4);
  if (read === null) return;
  if (read.size > SKIP_BYTES) {
    tally.large += 1;
    return;
  }
  const decoded = decodeText(read.size > READ_BYTES ? wholeCharacters(read.bytes, READ_BYTES) : read.bytes);
  if (!decoded.ok) return;
  tally.scanned += 1;
  if (read.size > READ_BYTES) tally.partly += 1;
  const fold = (text: string) => (a.caseSensitive === true ? text : text.toLowerCase()).normalize('NFC');
  const wanted = fold(a.query);
  if (!fold(decoded.value.text).includes(wanted)) return;
  for (const [i, line] of decoded.value.text.split(/\r\n|\r|\n/).entries()) {
    const at = fold(line).indexOf(wanted);
    if (at < 0) continue;
    if (tally.matches.length >= MATCH_LIMIT) {
      tally.full = true;
      return;
    }
    const from = Math.max(0, at - 60);
    tally.matches.push({ path: verdict.target.path, shown: prefix + file.shown, line: i + 1, snippet: line.slice(from, from + SNIPPET).trim() });
  }
}

function said(tally: Tally, more: boolean): ToolOutcome {
  const notes = [
    tally.full ? 'stopped at the limit; there may be more' : '',
    tally.large > 0 ? `${tally.large} files above 2 MB skipped` : '',
    tally.sensitive > 0 ? `${tally.sensitive} files that may hold secrets skipped` : '',
    tally.partly > 0 ? `of ${tally.partly} files only the first 128 KB was searched` : '',
    more ? 'stopped at 5,000 files' : '',
  ].filter((note) => note !== '');
  const body = tally.matches.length === 0 ? 'No match.' : tally.matches.map((one) => `${one.shown}:${one.line}: ${one.snippet}`).join('\n');
  const { matches, scanned, large, sensitive, full } = tally;
  return { outcome: 'ok', text: body + (notes.length > 0 ? `\n[${notes.join('; ')}]` : ''), data: { matches, scanned, large, sensitive, more: full || more } };
}
