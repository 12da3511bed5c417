import type { Shown } from '#domain/events/index.ts';
import type { Prepared, ToolContext } from '../types.ts';
import { finish, judgeEnds, missingFolders, presentState } from './changing.ts';
import { impossible } from './outcomes.ts';

interface TwoEnded {
  readonly op: 'copy' | 'move' | 'rename';
  readonly path: string;
  readonly to: string;
  readonly shown: Shown;
  readonly warnings?: readonly Shown[];
}

/**
 * Copy, move and rename: both ends go through the gate (the source of a copy as a read, so that a
 * secret is not laundered through a plain name), an existing target is refused (C-23).
 */
export async function prepareTwoEnded(context: ToolContext, call: TwoEnded): Promise<Prepared> {
  const ends = [{ op: call.op === 'copy' ? ('read' as const) : call.op, path: call.path }, { op: 'create' as const, path: call.to }];
  const judged = await judgeEnds(context, ends);
  if ('refused' in judged) return judged.refused;
  const [from, to] = [judged.targets[0]!, judged.targets[1]!];
  if (from.kind === 'absent') return impossible({ code: 'change.missing', params: { path: from.shownPath } });
  if (call.op === 'copy' && from.kind === 'folder') return impossible({ code: 'tool.oneFolder', params: { path: from.shownPath } });
  const target = freeTarget(from.path, to, call);
  if (!('path' in target)) return target;
  const now = from.kind === 'folder' ? await context.changes.inspect(from.path) : await presentState(context, from);
  if (!now.ok) return impossible(now.error);
  const folders = await missingFolders(context, target.path);
  if (!folders.ok) return impossible(folders.error);
  const state = now.value!;
  const verb = { copy: 'Copied', move: 'Moved', rename: 'Renamed' }[call.op];
  return finish(context, ends, judged.targets, judged.verdicts, {
    op: call.op, kind: state.kind, path: from.path, to: target.path, expected: state, before: call.op === 'copy' ? null : state, after: state, folders: folders.value,
    risk: call.op === 'copy' ? 'medium' : 'high', shown: call.shown, ...(call.warnings ? { warnings: call.warnings } : {}), said: () => `${verb} ${from.shownPath} to ${to.shownPath}.`,
  });
}

/** The target's path when nothing stands there. A volume that ignores case answers with the old name for a new spelling of it (case 35). */
function freeTarget(from: string, to: { path: string; exists: boolean; shownPath: string }, call: TwoEnded): { readonly path: string } | Prepared {
  if (!to.exists) return to.path.startsWith(`${from}/`) ? impossible({ code: 'change.intoItself', params: { path: to.shownPath } }) : { path: to.path };
  const wanted = call.to.split(/[\\/]/).at(-1)!;
  const cut = Math.max(from.lastIndexOf('/'), from.lastIndexOf('\\')) + 1;
  const respelled = to.path === from && call.op !== 'copy' && wanted !== from.slice(cut) && wanted !== '' && wanted !== '.' && wanted !== '..';
  return respelled ? { path: from.slice(0, cut) + wanted } : impossible({ code: 'change.exists', params: { path: to.shownPath } });
}
