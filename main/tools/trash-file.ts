import * as z from 'zod/mini';
import { TRASH_BLOB_BYTES } from '#main/changes/kit.ts';
import { finish, judgeEnds, presentState } from './support/changing.ts';
import { folderWarnings } from './support/counts.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { impossible } from './support/outcomes.ts';
import type { Prepared } from './types.ts';

const args = z.strictObject({ path: pathText });

/** One file or folder to the system's trash; never away for good, never several at once (WA-TRASH-01…04). */
export const trashFile = defineTool(args, {
  name: 'trash_file',
  description: 'Move one file or folder to the system trash. There is no permanent deletion and no batch deletion.',
  risk: 'high',
  changes: true,
  shown: (a) => ({ key: 'tool.trash', params: { name: shortName(a.path) } }),
  prepare: async (a, context): Promise<Prepared> => {
    const ends = [{ op: 'trash' as const, path: a.path }];
    const judged = await judgeEnds(context, ends);
    if ('refused' in judged) return judged.refused;
    const target = judged.targets[0]!;
    if (target.kind === 'absent') return impossible({ code: 'change.missing', params: { path: target.shownPath } });
    const now = target.kind === 'folder' ? await context.changes.inspect(target.path) : await presentState(context, target);
    if (!now.ok) return impossible(now.error);
    const state = now.value!;
    // Larger files and folders have no blob: they come back only while they are in the trash.
    const onlyTrash = state.kind === 'folder' || state.size > TRASH_BLOB_BYTES;
    const warnings = [{ key: onlyTrash ? 'warn.onlyInTrash' : 'warn.trash', params: {} }, ...(await folderWarnings(context, 'trash', a.path))];
    return finish(context, ends, judged.targets, judged.verdicts, {
      op: 'trash', kind: state.kind, path: target.path, expected: state, before: state, after: null, risk: 'high', warnings, shown: trashFile.shown(a),
      said: () => `Moved the ${state.kind} ${target.shownPath} to the system trash.`,
    });
  },
});
