import * as z from 'zod/mini';
import { folderWarnings } from './support/counts.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { prepareTwoEnded } from './support/two-ended.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, to: pathText });

/** Moves one file or folder, never over another (WA-MOVE-01…04); a strong question (WA-PLAN-03). */
export const moveFile = defineTool(args, {
  name: 'move_file',
  description: 'Move one file or folder. to is the full new path including the name. Refused when something with that name exists. A folder is moved whole.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.move', params: { name: shortName(a.path), to: a.to } }),
  prepare: async (a, context): Promise<Prepared> => prepareTwoEnded(context, { op: 'move', ...a, shown: moveFile.shown(a), warnings: [{ key: 'warn.move', params: {} }, ...(await folderWarnings(context, 'move', a.path))] }),
});
