import * as z from 'zod/mini';
import { defineTool, pathText, shortName } from './support/define.ts';
import { prepareTwoEnded } from './support/two-ended.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, to: pathText });

/** Copies a single file, never over another (WA-COPY-01…04). */
export const copyFile = defineTool(args, {
  name: 'copy_file',
  description: 'Copy one file. to is the full new path including the name. Refused when something with that name exists.',
  risk: 'medium',
  changes: true,
  shown: (a) => ({ key: 'tool.copy', params: { name: shortName(a.path), to: a.to } }),
  prepare: (a, context): Promise<Prepared> => prepareTwoEnded(context, { op: 'copy', ...a, shown: copyFile.shown(a) }),
});
