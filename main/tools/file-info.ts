import * as z from 'zod/mini';
import { nameOf } from '#domain/policy/flavour.ts';
import { isSensitiveName } from '#domain/policy/names.ts';
import { TEXT_SUFFIXES } from '#domain/policy/skipped.ts';
import { errnoOf } from '#main/ports/fs.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { failedOutcome } from './support/outcomes.ts';
import { prepareLook } from './support/reading.ts';
import type { Prepared, ToolOutcome } from './types.ts';

const args = z.strictObject({ path: pathText });

/** Kind, size and time of a file or folder (WA-TYPES-07), without its content. */
export const fileInfo = defineTool(args, {
  name: 'file_info',
  description: 'Tell whether a path exists, its kind, size, and when it was last changed.',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.info', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> =>
    prepareLook(context, 'read', a.path, fileInfo.shown(a), async (target): Promise<ToolOutcome> => {
      if (target.kind === 'absent') return { outcome: 'ok', text: `${target.shownPath} does not exist.`, data: { path: target.path, exists: false } };
      try {
        const stat = await context.fs.stat(target.path);
        const name = nameOf(target.path, target.path.startsWith('/') ? 'posix' : 'win32');
        const suffix = name.includes('.') ? name.slice(name.lastIndexOf('.')).toLowerCase() : '';
        const changed = new Date(stat.mtimeMs).toISOString();
        const data = { path: target.path, exists: true, kind: target.kind, name, suffix, size: stat.size, changed, isTextFile: TEXT_SUFFIXES.has(suffix), isHidden: name.startsWith('.'), mayHoldSecrets: target.kind === 'file' && isSensitiveName(name) };
        return { outcome: 'ok', text: `${target.shownPath}: ${target.kind}${target.kind === 'file' ? `, ${stat.size} bytes` : ''}, changed ${changed}`, data };
      } catch (cause) {
        return failedOutcome({ code: 'change.io', params: { path: target.shownPath }, detail: errnoOf(cause) });
      }
    }),
});
