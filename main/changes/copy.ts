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
    // The bits of a read-only source would also close the temp to fsync; opening for reading is enough for that.
    const file = await kit.fs.open(temp, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
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
