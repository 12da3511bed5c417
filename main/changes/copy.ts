import type { Hash } from '#domain/ids.ts';
import { fail, type Result } from '#domain/result.ts';
import { failureOf, ownNames, type Kit } from './kit.ts';
import { hashFile } from './look.ts';
import { giveName, type Spot } from './swap.ts';
import { tidy } from './tidy.ts';

/** Kernel copy into a temp beside the target, fsync, check of the hash, then the name. Codes: change.stale, .exists and the disk's. */
export async function copyOver(kit: Kit, from: string, hash: Hash, to: Spot): Promise<Result<void>> {
  const temp = to.place.at(ownNames(to.change).temp);
  try {
    await kit.fs.copyFile(from, temp);
    await flush(kit, temp);
    if ((await hashFile(kit.fs, temp)).hash !== hash) {
      await tidy(kit, to.place, ownNames(to.change).temp);
      return fail('change.stale', { path: to.path });
    }
  } catch (cause) {
    await tidy(kit, to.place, ownNames(to.change).temp);
    return failureOf(cause, kit.flavour, { path: to.path });
  }
  return giveName(kit, to);
}

/**
 * Makes a file's bytes durable, whatever its bits. For that a handle that reads is enough, but on Windows: there it
 * must write, and a copy of a read-only file is read-only itself. Throws the disk's error.
 */
export async function flush(kit: Pick<Kit, 'fs' | 'flavour'>, path: string): Promise<void> {
  const { fs } = kit;
  const mode = kit.flavour === 'win32' ? (await fs.lstat(path)).mode : null;
  const closed = mode !== null && (mode & 0o200) === 0;
  if (closed) await fs.chmod(path, mode | 0o200);
  const file = await fs.open(path, mode === null ? 'r' : 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  if (closed) await fs.chmod(path, mode);
}
