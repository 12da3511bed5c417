import * as z from 'zod/mini';
import { ok } from '#domain/result.ts';
import { withLineEnd } from '#domain/text/encoding.ts';
import { prepareContent } from './support/content.ts';
import { contentText, defineTool, pathText, shortName } from './support/define.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, content: contentText });

/** A full rewrite of an existing text file; LF text into a CRLF file keeps CRLF, a mark stays (WA-WRITE-01…05, case 15). */
export const writeFile = defineTool(args, {
  name: 'write_file',
  description: 'Replace the whole content of an existing UTF-8 text file. Prefer edit_file for small changes. Refused when the file changed since you read it. Line ends and byte-order mark of the file are kept.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.write', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> => prepareContent(context, { op: 'write', path: a.path, risk: 'high', shown: writeFile.shown(a), said: 'Wrote', change: (file) => ok(withLineEnd(a.content, file.lineEnd)) }),
});
