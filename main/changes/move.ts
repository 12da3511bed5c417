import type { FileState } from '#domain/events/index.ts';
import { foldName, isWithin } from '#domain/policy/flavour.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { sameSpelling } from '#domain/text/file-names.ts';
import { errnoOf, type FileStat } from '#main/ports/fs.ts';
import { copyOver } from './copy.ts';
import { failureOf, hasNoLinks, ownNames, patiently, quietly, UNSETTLED, type Done, type Kit } from './kit.ts';
import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { folderState, hashFile, lookAt, stateAt } from './look.ts';
import { openPlaceOf, orClose } from './place.ts';
import type { Spot } from './swap.ts';
import { tidy } from './tidy.ts';
import { checkExpected, type Prepare } from './verbs.ts';

/**
 * Moves or renames a file or folder; never over anything. A file gets its new name by link and loses
 * the old one by way of a keep name, so that a save under the old name meanwhile is seen and put back.
 * Folders and disks without hard links: one call wide. Codes: change.exists, .intoItself, .missing,
 * .stale, .crossDevice (folders), .swapped, .unsettled.
 */
export const move: Prepare = async (kit, request, id, place, name) => {
  const to = request.to;
  if (to === undefined) return fail('change.nothing', { path: request.path });
  const looked = await lookAt(kit, place, name, request.path);
  if (!looked.ok) return looked;
  const stat = looked.value;
  if (stat === null) return fail('change.missing', { path: request.path });
  if (stat.kind === 'folder' && to !== request.path && isWithin(to, request.path, kit.flavour, 'exact')) return fail('change.intoItself', { path: to });
  const before = stat.kind === 'folder' ? folderState(stat) : await stateAt(kit.fs, place.at(name));
  const expected = checkExpected(request, before);
  if (!expected.ok) return expected;
  const opened = await openPlaceOf(kit, to);
  if (!opened.ok) return opened;
  const from: Spot = { place, name, path: request.path, change: id };
  const target: Spot = { place: opened.value.place, name: opened.value.name, path: to, change: id };
  const found = await orClose(target.place, async () => ({ onlySpelling: await isSameEntry(kit, from, target, stat), taken: (await lstatOrNull(kit.fs, target.place.at(target.name))) !== null }));
  const { onlySpelling } = found;
  if (!onlySpelling && found.taken) {
    await target.place.close();
    return fail('change.exists', { path: to });
  }
  return ok({
    kind: stat.kind === 'folder' ? 'folder' : 'file', before, after: before,
    run: async () => {
      if (!(await from.place.same()) || !(await target.place.same())) return fail('change.swapped', { path: from.path });
      if (onlySpelling || stat.kind === 'folder') return byRename(kit, from, target, before);
      return byLink(kit, from, target, before!);
    },
    close: () => target.place.close(),
  });
};

/** The new name is the old one in other case or Unicode form, on a volume that takes them for one (case 35). */
async function isSameEntry(kit: Kit, from: Spot, to: Spot, stat: FileStat): Promise<boolean> {
  if (from.place.folder !== to.place.folder || from.name === to.name) return false;
  if (foldName(from.name) !== foldName(to.name) && !sameSpelling(from.name, to.name)) return false;
  const other = await lstatOrNull(kit.fs, to.place.at(to.name));
  if (other === null || other.dev !== stat.dev || other.ino !== stat.ino) return false;
  // Two listed names with one inode are two hard links: the target exists.
  return !(await kit.fs.readdir(from.place.at('.'))).some((one) => one.name === to.name);
}

async function byRename(kit: Kit, from: Spot, to: Spot, after: FileState | null): Promise<Result<Done>> {
  const { fs } = kit;
  try {
    await patiently(kit, () => fs.rename(from.place.at(from.name), to.place.at(to.name)));
  } catch (cause) {
    return failureOf(cause, kit.flavour, { path: errnoOf(cause) === 'EEXIST' || errnoOf(cause) === 'ENOTEMPTY' ? to.path : from.path });
  }
  try {
    await to.place.sync();
    await from.place.sync();
    return ok({ after });
  } catch (cause) {
    const back = await quietly(() => fs.rename(to.place.at(to.name), from.place.at(from.name)));
    await quietly(() => from.place.sync());
    return back ? failureOf(cause, kit.flavour, { path: from.path }) : fail(UNSETTLED, { path: from.path }, errnoOf(cause));
  }
}

async function byLink(kit: Kit, from: Spot, to: Spot, before: FileState): Promise<Result<Done>> {
  const { fs } = kit;
  try {
    await patiently(kit, () => fs.link(from.place.at(from.name), to.place.at(to.name)));
  } catch (cause) {
    if (errnoOf(cause) === 'EXDEV') {
      const copied = await copyOver(kit, from.place.at(from.name), before.hash!, to);
      return copied.ok ? leaveOldName(kit, from, to, before) : copied;
    }
    if (hasNoLinks(cause)) return byRename(kit, from, to, before);
    return failureOf(cause, kit.flavour, { path: errnoOf(cause) === 'EEXIST' ? to.path : from.path });
  }
  return leaveOldName(kit, from, to, before);
}

/** Both names exist now. Takes the old one away by a keep name and looks at what was taken. */
async function leaveOldName(kit: Kit, from: Spot, to: Spot, before: FileState): Promise<Result<Done>> {
  const { fs } = kit;
  const old = from.place.at(from.name);
  const own = ownNames(from.change).keep;
  const keep = from.place.at(own);
  let taken = false;
  try {
    const mine = await fs.lstat(to.place.at(to.name));
    // The new name is durable before the old one goes: no power loss finds the file without a name.
    await to.place.sync();
    await patiently(kit, () => fs.rename(old, keep));
    taken = true;
    const caught = await fs.lstat(keep);
    // The same inode, or after a copy to another disk the same bytes: else somebody saved under the old name.
    const same = caught.kind === 'file' && ((caught.dev === mine.dev && caught.ino === mine.ino) || (await hashFile(fs, keep)).hash === before.hash);
    if (!same) throw Object.assign(new Error('saved meanwhile'), { code: 'STALE' });
    await from.place.sync();
    const after = await hashFile(fs, to.place.at(to.name));
    await tidy(kit, from.place, own);
    return ok({ after: { ...before, hash: after.hash, size: after.size, blob: before.blob && after.hash === before.hash } });
  } catch (cause) {
    const back = await quietly(async () => {
      if (taken) {
        await fs.link(keep, old).catch(async (why: unknown) => {
          if (!hasNoLinks(why)) throw why;
          await fs.rename(keep, old);
        });
        await tidy(kit, from.place, own);
      }
      // Our link shows the bytes that still stand under the old name; after a stale one they are kept first.
      if (errnoOf(cause) === 'STALE') {
        const stored = await kit.blobs.putFile(to.place.at(to.name));
        if (!stored.ok) throw cause;
      }
      await fs.unlink(to.place.at(to.name));
      await quietly(() => to.place.sync());
    });
    if (!back) return fail(UNSETTLED, { path: from.path }, errnoOf(cause));
    return errnoOf(cause) === 'STALE' ? fail('change.stale', { path: from.path }) : failureOf(cause, kit.flavour, { path: from.path });
  }
}
