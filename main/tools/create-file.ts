import * as z from 'zod/mini';
import { prepareCreate } from './support/content.ts';
import { contentText, defineTool, pathText, shortName } from './support/define.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, content: contentText });

/** A new text file; never over an existing one (WA-CFILE-01…05). */
export const createFile = defineTool(args, {
  name: 'create_file',
  description: 'Create a new UTF-8 text file. Refused when something with this name exists. Missing folders are created.',
  risk: 'medium',
  changes: true,
  shown: (a) => ({ key: 'tool.create', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> => prepareCreate(context, a.path, a.content, createFile.shown(a)),
});
