import * as z from 'zod/mini';
import { ok } from '#domain/result.ts';
import { replaceAllText } from '#domain/text/edits.ts';
import { prepareContent } from './support/content.ts';
import { contentText, defineTool, pathText, shortName } from './support/define.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, oldText: contentText, newText: contentText });

/** Every exact match in one file, literally; the count is in the answer (WB-APPLY-002-B2, -AC4). */
export const replaceAll = defineTool(args, {
  name: 'replace_all',
  description: 'Replace every exact occurrence of oldText in one UTF-8 text file by newText, literally. Says how many were replaced.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.replaceAll', params: { name: shortName(a.path) } }),
  prepare: async (a, context): Promise<Prepared> => {
    let count = 0;
    const prepared = await prepareContent(context, {
      op: 'replaceAll', path: a.path, risk: 'high', shown: replaceAll.shown(a), said: 'Replaced in',
      change: (file) => {
        const out = replaceAllText(file.text, a, file.lineEnd);
        if (out.ok) count = out.value.count;
        return out.ok ? ok(out.value.text) : out;
      },
    });
    if (prepared.go === 'refuse') return prepared;
    const run: typeof prepared.run = async (signal) => {
      const done = await prepared.run(signal);
      return done.outcome === 'ok' ? { ...done, text: `${done.text} ${count} occurrences.`, data: { ...(done.data as object), count } } : done;
    };
    return { ...prepared, run };
  },
});
