import * as z from 'zod/mini';
import { defineTool, pathText, shortName } from './support/define.ts';
import { finish, judgeEnds, missingFolders } from './support/changing.ts';
import { impossible } from './support/outcomes.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText });

/** A new folder, with those above it that are missing (WA-CDIR-01…03). */
export const createFolder = defineTool(args, {
  name: 'create_folder',
  description: 'Create a folder. Refused when something with this name exists. Missing parent folders are created.',
  risk: 'medium',
  changes: true,
  shown: (a) => ({ key: 'tool.mkdir', params: { name: shortName(a.path) } }),
  prepare: async (a, context): Promise<Prepared> => {
    const ends = [{ op: 'mkdir' as const, path: a.path }];
    const judged = await judgeEnds(context, ends);
    if ('refused' in judged) return judged.refused;
    const target = judged.targets[0]!;
    if (target.exists) return impossible({ code: 'change.exists', params: { path: target.shownPath } });
    const folders = await missingFolders(context, target.path);
    if (!folders.ok) return impossible(folders.error);
    return finish(context, ends, judged.targets, judged.verdicts, {
      op: 'mkdir', kind: 'folder', path: target.path, expected: null, before: null, after: { kind: 'folder', hash: null, size: 0, mode: 0o755, blob: false }, folders: folders.value,
      risk: 'medium', shown: createFolder.shown(a), said: () => `Created the folder ${target.shownPath}.`,
    });
  },
});
