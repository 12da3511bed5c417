import * as z from 'zod/mini';
import { applyEdits } from '#domain/text/edits.ts';
import { prepareContent } from './support/content.ts';
import { contentText, defineTool, pathText, shortName } from './support/define.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({
  path: pathText,
  edits: z.array(z.strictObject({ oldText: contentText, newText: contentText })).check(z.minLength(1), z.maxLength(200)),
});

/** Exact edits, each on text that stands once; all or nothing (WB-APPLY-002-AC4). */
export const editFile = defineTool(args, {
  name: 'edit_file',
  description: 'Change parts of a UTF-8 text file. Each oldText must stand exactly once in the file, character for character, and edits must not overlap; otherwise nothing is changed. newText is written literally.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.edit', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> => prepareContent(context, { op: 'edit', path: a.path, risk: 'high', shown: editFile.shown(a), said: 'Edited', change: (file) => applyEdits(file.text, a.edits, file.lineEnd) }),
});
