import type { Change, FileState } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import { joinPath } from '#domain/policy/flavour.ts';
import { OWN_LEFTOVER } from '#domain/policy/names.ts';
import { ownNames, quietly, type Kit } from './kit.ts';
import { hashFile } from './look.ts';

export interface Swept {
  readonly removed: number;
  /** Saves that were caught in a keep name when we stopped: blobs now, to be offered to the person. */
  readonly kept: readonly { readonly path: string; readonly state: FileState; readonly change: ChangeId }[];
  /** Names like ours whose bytes could not be made sure of; left alone. */
  readonly left: readonly string[];
}

/**
 * Removes temp and keep names that a crash left in the given folders, and nothing else (I12): the name
 * must be exactly ours, a regular file, and its bytes must be in the blob store, or be the unfinished
 * temp of a change that we planned (`planned`: the changes of the last session).
 */
export async function sweepLeftovers(kit: Kit, folders: readonly string[], planned: readonly Change[]): Promise<Swept> {
  const temps = new Set(planned.map((one) => ownNames(one.change).temp));
  const keeps = new Map(planned.map((one) => [ownNames(one.change).keep, one]));
  const kept: { path: string; state: FileState; change: ChangeId }[] = [];
  const left: string[] = [];
  let removed = 0;
  for (const folder of new Set(folders)) {
    for (const { name, kind } of await kit.fs.readdir(folder).catch(() => [])) {
      if (!OWN_LEFTOVER.test(name)) continue;
      const path = joinPath(folder, name, kit.flavour);
      const safe = kind === 'file' && (await quietly(async () => {
        if (temps.has(name)) return kit.fs.unlink(path);
        // Another name shows the same file: this one holds nothing of its own.
        if ((await kit.fs.lstat(path)).nlink > 1) return kit.fs.unlink(path);
        const { hash, stat } = await hashFile(kit.fs, path);
        const known = await kit.blobs.has(hash);
        if (name.endsWith('.tmp') && !known) throw new Error('not known to be ours');
        if (!known) {
          // A keep name holds what stood in the file when we swapped: perhaps the only copy of somebody's save.
          const stored = await kit.blobs.putFile(path);
          if (!stored.ok || stored.value.hash !== hash) throw new Error('could not be kept');
        }
        const intent = keeps.get(name);
        if (intent !== undefined && intent.before?.hash !== hash) kept.push({ path: intent.path, change: intent.change, state: { kind: 'file', hash, size: stat.size, mode: stat.mode, blob: true } });
        await kit.fs.unlink(path);
      }));
      if (safe) removed += 1;
      else left.push(path);
    }
  }
  return { removed, kept, left };
}
