import type { Shown } from '#domain/events/index.ts';
import type { GateOp } from '#main/gate/types.ts';
import type { ToolContext } from '../types.ts';
import { readFolderExactly } from './exact.ts';

/** How much a folder holds, for the question before it goes as a whole (design §5); counts to 10,000. */
export async function folderWarnings(context: ToolContext, op: GateOp, path: string): Promise<readonly Shown[]> {
  const verdict = await context.gate.judge(op, path, context.gateContext);
  if (verdict.verdict === 'refuse' || verdict.target.kind !== 'folder') return [];
  const stack = [verdict.target.path];
  let files = 0;
  let folders = 0;
  while (stack.length > 0 && files + folders < 10_000) {
    const folder = stack.pop()!;
    for (const one of await readFolderExactly(context.fs, folder).catch(() => [])) {
      if (one.kind === 'folder') {
        folders += 1;
        stack.push(`${folder}/${one.name}`);
      } else files += 1;
    }
  }
  return [{ key: 'warn.folder', params: { files, folders } }];
}
