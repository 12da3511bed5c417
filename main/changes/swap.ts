import type { FileState } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { together } from '#main/fs/together.ts';
import { errnoOf, type FileStat } from '#main/ports/fs.ts';
import { failureOf, hasNoLinks, ownNames, patiently, quietly, UNSETTLED, type Kit } from './kit.ts';
import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { hashFile, hashOf, holdsBytes, snapshot, type Snapshot } from './look.ts';
import type { Place } from './place.ts';
import { tidy, unlinkOurs } from './tidy.ts';

/** One name in one folder, as one change works on it. */
export interface Spot {
  readonly place: Place;
  readonly name: string;
  readonly path: string;
  readonly change: ChangeId;
}

/**
 * Puts new bytes in the place of a file whose before-bytes are already durable (design §4): temp beside
 * it, fsync, look again, keep name, swap, look at the keep name, fsync of the folder. Either the file
 * has the new bytes and the result is ok, or it has its old ones and the result says why;
 * `change.unsettled` alone means neither could be made sure of.
 * Other codes: change.stale, .swapped, .readOnly and those of the disk.
 */
export async function replaceFile(kit: Kit, spot: Spot, before: Snapshot, bytes: Uint8Array): Promise<Result<{ readonly overtaken?: FileState }>> {
  const { fs } = kit;
  const { place, name, path } = spot;
  const { temp, keep } = ownNames(spot.change);
  let linked = false;
  try {
    if (before.stat.nlink > 1) return await writeInPlace(kit, spot, before, bytes);
    const uid = await writeTemp(kit, place.at(temp), bytes, before.state.mode);
    // A new file would belong to us: what belongs to somebody else keeps its inode and its owner.
    if (uid !== before.stat.uid) {
      await tidy(kit, place, temp);
      return await writeInPlace(kit, spot, before, bytes);
    }
    const again = await unchanged(kit, spot, before);
    if (!again.ok) {
      await tidy(kit, place, temp);
      return again;
    }
    linked = await tryLink(kit, place.at(name), place.at(keep));
    // The gap: who saves by replacing the name between these two calls is not seen (docs say so); who writes into the file is.
    await patiently(kit, () => fs.rename(place.at(temp), place.at(name)));
  } catch (cause) {
    await tidy(kit, place, temp);
    if (linked) await overtakenIn(kit, spot, before).then(() => tidy(kit, place, keep), () => undefined);
    return failureOf(cause, kit.flavour, { path });
  }
  try {
    const overtaken = linked ? await overtakenIn(kit, spot, before) : null;
    // One flush for the swap and the keep name, but a save from the gap stays at hand until the swap is sure.
    if (linked && overtaken === null) await unlinkOurs(kit, place, keep);
    await place.sync();
    if (overtaken === null) return ok({});
    await tidy(kit, place, keep);
    return ok({ overtaken });
  } catch (cause) {
    return rollBack(kit, spot, before, hashOf(bytes), cause);
  }
}

/** Re-check right before the swap: same place, same bytes, same permissions. */
async function unchanged(kit: Kit, spot: Spot, before: Snapshot): Promise<Result<void>> {
  if (!(await spot.place.same())) return fail('change.swapped', { path: spot.path });
  const now = await snapshot(kit, spot.place, spot.name, spot.path, before);
  if (!now.ok) return now.error.code === 'change.missing' || now.error.code === 'change.link' ? fail('change.stale', { path: spot.path }) : now;
  const { hash, mode } = now.value.state;
  return hash === before.state.hash && mode === before.state.mode ? ok() : fail('change.stale', { path: spot.path });
}

/** Writes the temp with the mode of the file it will replace; returns the owner that new files get here. */
async function writeTemp(kit: Kit, path: string, bytes: Uint8Array, mode: number | null): Promise<number> {
  const file = await kit.fs.open(path, 'wx', mode === null ? 0o666 : 0o600);
  try {
    await file.write(bytes, 0);
    if (mode !== null && kit.flavour !== 'win32') await kit.fs.chmod(path, mode);
    const [stat] = await together(file.stat(), file.sync());
    return stat.uid;
  } finally {
    await file.close();
  }
}

/** Gives the file a second name. False on disks that have no such thing. */
async function tryLink(kit: Kit, from: string, to: string): Promise<boolean> {
  try {
    await kit.fs.link(from, to);
    return true;
  } catch (cause) {
    if (hasNoLinks(cause)) return false;
    throw cause;
  }
}

/** Looks at the file that was swapped out: other bytes than before mean a save in the gap, kept as a blob. */
async function overtakenIn(kit: Kit, spot: Spot, before: Snapshot): Promise<FileState | null> {
  const at = spot.place.at(ownNames(spot.change).keep);
  if (await holdsBytes(kit.fs, at, before.bytes)) return null;
  const { mode } = await kit.fs.lstat(at);
  const stored = await kit.blobs.putFile(at);
  if (!stored.ok) throw Object.assign(new Error('the overtaken bytes could not be stored'), { code: stored.error.code === 'blob.full' ? 'ENOSPC' : 'EIO' });
  return { kind: 'file', hash: stored.value.hash, size: stored.value.size, mode, blob: true };
}

/** After the swap something failed that makes it unsure: the old file goes back to its name. */
async function rollBack(kit: Kit, spot: Spot, before: Snapshot, after: string, cause: unknown): Promise<Result<never>> {
  const { place, name, path, change } = spot;
  const { temp, keep } = ownNames(change);
  const back = await quietly(async () => {
    // Somebody may have saved over our bytes already; theirs stay.
    if ((await hashFile(kit.fs, place.at(name))).hash !== after) throw cause;
    const kept = (await lstatOrNull(kit.fs, place.at(keep))) !== null;
    if (!kept) await writeTemp(kit, place.at(temp), before.bytes, before.state.mode);
    await patiently(kit, () => kit.fs.rename(place.at(kept ? keep : temp), place.at(name)));
  });
  if (!back) return fail(UNSETTLED, { path }, errnoOf(cause));
  await quietly(() => place.sync());
  return failureOf(cause, kit.flavour, { path });
}

/** Keeps the inode: hard-link twins and another owner's file. The before-bytes are durable; a crash here settles as unknown. */
async function writeInPlace(kit: Kit, spot: Spot, before: Snapshot, bytes: Uint8Array): Promise<Result<Record<string, never>>> {
  const again = await unchanged(kit, spot, before);
  if (!again.ok) return again;
  const file = await patiently(kit, () => kit.fs.open(spot.place.at(spot.name), 'r+'));
  const put = async (content: Uint8Array) => {
    await file.write(content, 0);
    await file.truncate(content.length);
    await file.sync();
  };
  try {
    await put(bytes);
    return ok({});
  } catch (cause) {
    const back = await quietly(() => put(before.bytes));
    return back ? failureOf(cause, kit.flavour, { path: spot.path }) : fail(UNSETTLED, { path: spot.path }, errnoOf(cause));
  } finally {
    await quietly(() => file.close());
  }
}

/**
 * Makes a new file appear whole under its name, or not at all: temp, fsync, link (an existing name is
 * refused by the disk itself), fsync of the folder. `mode` null means what the person's umask says.
 * `fill` writes the temp; default: the bytes. Codes: change.exists, .swapped, .unsettled and the disk's.
 */
export async function appear(kit: Kit, spot: Spot, bytes: Uint8Array, mode: number | null): Promise<Result<void>> {
  const temp = spot.place.at(ownNames(spot.change).temp);
  try {
    await writeTemp(kit, temp, bytes, mode);
  } catch (cause) {
    await tidy(kit, spot.place, ownNames(spot.change).temp);
    return failureOf(cause, kit.flavour, { path: spot.path });
  }
  return giveName(kit, spot);
}

/** Gives a finished temp its name. Codes as appear. */
export async function giveName(kit: Kit, spot: Spot): Promise<Result<void>> {
  const { fs } = kit;
  const { place, name, path } = spot;
  const own = ownNames(spot.change).temp;
  const temp = place.at(own);
  let mine: FileStat | null = null;
  let named = false;
  try {
    mine = await fs.lstat(temp);
    if (!(await place.same())) throw Object.assign(new Error('swapped'), { code: 'SWAPPED' });
    try {
      await patiently(kit, () => fs.link(temp, place.at(name)));
      named = true;
    } catch (cause) {
      if (!hasNoLinks(cause)) throw cause;
      // No hard links: an empty file of our own reserves the name, so an existing one is still refused.
      await (await fs.open(place.at(name), 'wx')).close();
      named = true;
      await fs.rename(temp, place.at(name));
    }
    await unlinkOurs(kit, place, own);
    await place.sync();
    return ok();
  } catch (cause) {
    const gone = !named || (await quietly(() => takeNameBack(kit, spot, mine)));
    await tidy(kit, place, own);
    if (!gone) return fail(UNSETTLED, { path }, errnoOf(cause));
    return errnoOf(cause) === 'SWAPPED' ? fail('change.swapped', { path }) : failureOf(cause, kit.flavour, { path });
  }
}

/** Removes the name that was given a moment ago, if it is still our file and nothing was written to it. */
async function takeNameBack(kit: Kit, { place, name }: Spot, mine: FileStat | null): Promise<void> {
  const at = place.at(name);
  const now = await kit.fs.lstat(at);
  const ours = now.size === 0 || mine?.ino === now.ino;
  if (!ours) throw Object.assign(new Error('no longer ours'), { code: 'EIO' });
  await kit.fs.unlink(at);
}
