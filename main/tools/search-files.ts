import * as z from 'zod/mini';
import { foldName } from '#domain/policy/flavour.ts';
import { visibleName } from '#domain/text/visible.ts';
import { defineTool, pathText } from './support/define.ts';
import { failedOutcome } from './support/outcomes.ts';
import { prepareLook } from './support/reading.ts';
import { searchRoots, walk } from './support/walk.ts';
import type { Prepared, ToolContext, ToolOutcome } from './types.ts';

/** WA-SFILE-02. */
export const FOUND_LIMIT = 30;

const args = z.strictObject({ query: z.string().check(z.minLength(1), z.maxLength(500)), path: z.optional(pathText) });

interface Found {
  readonly path: string;
  readonly shown: string;
  readonly score: number;
  readonly mtimeMs: number;
}

/** Finds files by name in the work addresses: the better match first, then the newer file (WA-SFILE-01…03). */
export const searchFiles = defineTool(args, {
  name: 'search_files',
  description: 'Find files by part of their name or suffix (".cpp") in the work addresses, or below path. At most 30 results, best match first.',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.find', params: { query: a.query } }),
  prepare: (a, context): Promise<Prepared> => {
    const roots = searchRoots(context, a.path);
    if (roots.length === 0) return Promise.resolve({ go: 'refuse', outcome: failedOutcome({ code: 'gate.noAddress' }, 'refused') });
    return prepareLook(context, 'list', roots[0]!.path, searchFiles.shown(a), async (first, signal): Promise<ToolOutcome> => {
      if (first.kind !== 'folder') return failedOutcome({ code: first.kind === 'file' ? 'tool.file' : 'change.missing', params: { path: first.shownPath } });
      const found: Found[] = [];
      let missed = 0;
      let more = false;
      for (const [i, root] of roots.entries()) {
        const walked = await walk(context, i === 0 ? first.path : root.path, signal);
        missed += walked.notEntered;
        more ||= walked.more;
        await collect(context, walked.files, root.prefix, a.query, found);
      }
      found.sort((x, y) => y.score - x.score || y.mtimeMs - x.mtimeMs || (x.shown < y.shown ? -1 : 1));
      const shown = found.slice(0, FOUND_LIMIT);
      const left = found.length - shown.length;
      const notes = [left > 0 ? `${left} more matches left out` : '', missed > 0 ? `${missed} folders not entered` : '', more ? 'stopped at 5,000 files' : ''].filter((note) => note !== '');
      const text = (shown.length === 0 ? 'No file matches.' : shown.map((one, n) => `${n + 1}. ${visibleName(one.shown)}`).join('\n')) + (notes.length > 0 ? `\n[${notes.join('; ')}]` : '');
      return { outcome: 'ok', text, data: { files: shown.map(({ path, shown: name, mtimeMs }) => ({ path, shown: name, mtimeMs })), left, more } };
    });
  },
});

async function collect(context: ToolContext, files: readonly { path: string; shown: string; name: string }[], prefix: string, query: string, found: Found[]): Promise<void> {
  const wanted = foldName(query.trim());
  for (const file of files) {
    const name = foldName(file.name);
    const score = name === wanted ? 4 : name.startsWith(wanted) || (wanted.startsWith('.') && name.endsWith(wanted)) ? 3 : name.includes(wanted) ? 2 : foldName(file.shown).includes(wanted) ? 1 : 0;
    if (score === 0) continue;
    const stat = await context.fs.lstat(file.path).catch(() => null);
    if (stat?.kind === 'file') found.push({ path: file.path, shown: prefix + file.shown, score, mtimeMs: stat.mtimeMs });
  }
}
