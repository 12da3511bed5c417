import * as z from 'zod/mini';
import { OWN_LEFTOVER } from '#domain/policy/names.ts';
import { isSkippedFolder } from '#domain/policy/skipped.ts';
import { visibleName } from '#domain/text/visible.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { readFolderExactly } from './support/exact.ts';
import { failedOutcome } from './support/outcomes.ts';
import { prepareLook } from './support/reading.ts';
import type { Prepared, ToolContext, ToolOutcome } from './types.ts';

/** WA-LIST-02. */
export const LIST_LIMIT = 200;

const args = z.strictObject({ path: z.optional(pathText), depth: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(3))) });

interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Lists a folder, folders first; at most 200 entries, and says how many it left out (WA-LIST-01…03). */
export const listFiles = defineTool(args, {
  name: 'list_files',
  description: 'List a folder of a work address. Without a path: the work addresses themselves, or the only one. depth 1 to 3 (default 1). At most 200 entries; says how many were left out.',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.list', params: { name: shortName(a.path ?? '.') } }),
  prepare: async (a, context): Promise<Prepared> => {
    const { addresses } = context.gateContext;
    if ((a.path === undefined || a.path === '.' || a.path === '') && addresses.length !== 1) {
      const entries = addresses.map((one) => ({ path: one.name, kind: 'folder' as const, root: one.root, policy: one.policy }));
      const text = entries.length === 0 ? 'No work address is open.' : entries.map((one) => `${one.path}/  (${one.root}, ${one.policy})`).join('\n');
      return { go: 'do', run: () => Promise.resolve({ outcome: 'ok', text, data: { entries, left: 0 } }) };
    }
    const path = a.path === undefined || a.path === '' ? '.' : a.path;
    return prepareLook(context, 'list', path, listFiles.shown(a), async (target, signal): Promise<ToolOutcome> => {
      if (target.kind === 'absent') return failedOutcome({ code: 'change.missing', params: { path: target.shownPath } });
      if (target.kind === 'file') return failedOutcome({ code: 'tool.file', params: { path: target.shownPath } });
      const found = await collect(context, target.path, a.depth ?? 1, signal);
      if (found === null) return failedOutcome({ code: 'change.denied', params: { path: target.shownPath } });
      const shown = found.slice(0, LIST_LIMIT);
      const left = found.length - shown.length;
      const lines = shown.map((one) => visibleName(one.kind === 'folder' ? `${one.path}/` : one.path) + (one.kind === 'link' ? '  (link)' : ''));
      const text = (lines.length === 0 ? '(empty folder)' : lines.join('\n')) + (left > 0 ? `\n[${left} more entries left out]` : '');
      return { outcome: 'ok', text, data: { folder: target.path, entries: shown, left } };
    });
  },
});

async function collect(context: ToolContext, top: string, depth: number, signal: AbortSignal): Promise<Entry[] | null> {
  const out: Entry[] = [];
  const visit = async (folder: string, prefix: string, level: number): Promise<boolean> => {
    const entries = await readFolderExactly(context.fs, folder).catch(() => null);
    if (entries === null) return false;
    const rank = (kind: Entry['kind']) => (kind === 'folder' ? 0 : 1);
    for (const one of [...entries].sort((a, b) => rank(a.kind) - rank(b.kind) || (a.name < b.name ? -1 : 1))) {
      if (signal.aborted || out.length > 5000) return true;
      if (OWN_LEFTOVER.test(one.name)) continue;
      out.push({ path: prefix + one.name, kind: one.kind });
      const inner = `${folder}/${one.name}`;
      if (one.kind === 'folder' && level < depth && !isSkippedFolder(one.name) && (await context.gate.judge('list', inner, context.gateContext)).verdict === 'do') await visit(inner, `${prefix}${one.name}/`, level + 1);
    }
    return true;
  };
  return (await visit(top, '', 1)) ? out : null;
}
