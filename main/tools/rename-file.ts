import * as z from 'zod/mini';
import { checkBareName } from '#domain/policy/path-text.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { impossible } from './support/outcomes.ts';
import { prepareTwoEnded } from './support/two-ended.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText, name: pathText });

/** A new name in the same folder (WA-RENAME-01…04); only the case may change too (case 35). */
export const renameFile = defineTool(args, {
  name: 'rename_file',
  description: 'Give a file or folder a new name in the same folder. name is a bare name without separators. Refused when something with that name exists.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.rename', params: { name: shortName(a.path), to: a.name } }),
  prepare: async (a, context): Promise<Prepared> => {
    // The stricter rules of Windows would refuse names that are fine here; the gate applies its own system's.
    const bare = checkBareName(a.name, 'posix');
    if (!bare.ok) return impossible(bare.error);
    const from = await context.gate.judge('rename', a.path, context.gateContext);
    if (from.verdict === 'refuse') return prepareTwoEnded(context, { op: 'rename', path: a.path, to: a.name, shown: renameFile.shown(a) });
    const path = from.target.path;
    const to = path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) + a.name;
    return prepareTwoEnded(context, { op: 'rename', path: a.path, to, shown: renameFile.shown(a) });
  },
});
