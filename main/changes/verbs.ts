import type { FileState } from '#domain/events/index.ts';
import type { ChangeId, Hash } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { together } from '#main/fs/together.ts';
import { copyOver } from './copy.ts';
import { failureOf, quietly, TRASH_BLOB_BYTES, UNSETTLED, type Done, type Kit } from './kit.ts';
import { folderState, hashFile, lookAt, sameState, snapshot } from './look.ts';
import { openPlaceOf, orClose, type Place } from './place.ts';
import { appear, replaceFile } from './swap.ts';
import type { ChangeRequest } from './types.ts';

/** A change made ready: what is there, what it will be, and the deed. Nothing of the person's is touched before `run`. */
export interface Ready {
  readonly kind: 'file' | 'folder';
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** Bytes on both sides, for line counts. */
  readonly texts?: { readonly before: Uint8Array | null; readonly after: Uint8Array };
  readonly kept?: FileState;
  run(): Promise<Result<Done>>;
  /** Lets go of what was opened; called once, also when `run` was not. */
  close?(): Promise<void>;
}

export type Prepare = (kit: Kit, request: ChangeRequest, id: ChangeId, place: Place, name: string) => Promise<Result<Ready>>;

/** Stores bytes as a blob and returns the file's state with it. Codes: blob.*. */
export async function keepBytes(kit: Kit, bytes: Uint8Array, mode: number, known?: Hash | null): Promise<Result<FileState>> {
  const stored = await kit.blobs.put(bytes, known ?? undefined);
  return stored.ok ? ok({ kind: 'file', hash: stored.value, size: bytes.length, mode, blob: true }) : stored;
}

/** Compares with what was approved. `force` passes and says that the present state differs. Code: change.stale. */
export function checkExpected(request: ChangeRequest, now: FileState | null): Result<{ readonly differs: boolean }> {
  const differs = !sameState(now, request.expected);
  return differs && request.force !== true ? fail('change.stale', { path: request.path }) : ok({ differs });
}

/** A new file. Codes: change.exists, blob.*. */
export const create: Prepare = async (kit, request, id, place, name) => {
  const bytes = request.content;
  if (bytes === undefined) return fail('change.nothing', { path: request.path });
  const there = await lookAt(kit, place, name, request.path);
  if (!there.ok) return there;
  if (there.value !== null) return fail('change.exists', { path: request.path });
  return appearing(kit, request, id, place, name, bytes, null);
};

/** A file that appears with given bytes; `mode` null asks the umask. */
export async function appearing(kit: Kit, request: ChangeRequest, id: ChangeId, place: Place, name: string, bytes: Uint8Array, mode: number | null): Promise<Result<Ready>> {
  const after = await keepBytes(kit, bytes, mode ?? 0o644);
  if (!after.ok) return after;
  return ok({
    kind: 'file', before: null, after: after.value, texts: { before: null, after: bytes },
    run: async () => {
      const done = await appear(kit, { place, name, path: request.path, change: id }, bytes, mode);
      if (!done.ok) return done;
      const stat = await kit.fs.lstat(place.at(name)).catch(() => null);
      return ok({ after: { ...after.value, mode: stat?.mode ?? after.value.mode } });
    },
  });
}

/** New content for an existing file. Codes: change.missing, .stale, .readOnly, .link, .placeholder, blob.*. */
export const write: Prepare = async (kit, request, id, place, name) => {
  if (request.content === undefined) return fail('change.nothing', { path: request.path });
  return replacing(kit, request, id, place, name, request.content);
};

/** @param known hash of the bytes, where it was computed from them already */
export async function replacing(kit: Kit, request: ChangeRequest, id: ChangeId, place: Place, name: string, bytes: Uint8Array, known?: Hash): Promise<Result<Ready>> {
  const before = await snapshot(kit, place, name, request.path);
  if (!before.ok) return before;
  const expected = checkExpected(request, before.value.state);
  if (!expected.ok) return expected;
  // The person closed the file to writing; swapping it out would go round that.
  if ((before.value.state.mode & 0o200) === 0) return fail('change.readOnly', { path: request.path });
  const { mode } = before.value.state;
  const [kept, after] = await together(keepBytes(kit, before.value.bytes, mode, before.value.state.hash), keepBytes(kit, bytes, mode, known));
  if (!kept.ok) return kept;
  if (!after.ok) return after;
  return ok({
    kind: 'file', before: kept.value, after: after.value, texts: { before: before.value.bytes, after: bytes },
    ...(expected.value.differs ? { kept: kept.value } : {}),
    run: async () => {
      const done = await replaceFile(kit, { place, name, path: request.path, change: id }, before.value, bytes);
      return done.ok ? ok({ after: after.value, ...done.value }) : done;
    },
  });
}

/** A new folder, one level. Codes: change.exists. */
export const mkdir: Prepare = async (kit, request, _id, place, name) => {
  const there = await lookAt(kit, place, name, request.path);
  if (!there.ok) return there;
  if (there.value !== null) return fail('change.exists', { path: request.path });
  const after: FileState = { kind: 'folder', hash: null, size: 0, mode: 0o755, blob: false };
  return ok({
    kind: 'folder', before: null, after,
    run: async () => {
      if (!(await place.same())) return fail('change.swapped', { path: request.path });
      await kit.fs.mkdir(place.at(name));
      try {
        await place.sync();
        return ok({ after: folderState(await kit.fs.lstat(place.at(name))) });
      } catch (cause) {
        if (!(await quietly(() => kit.fs.rmdir(place.at(name))))) return fail(UNSETTLED, { path: request.path });
        await quietly(() => place.sync());
        return failureOf(cause, kit.flavour, { path: request.path });
      }
    },
  });
};

/** Another file with the same bytes; an existing target is refused by the disk itself. Codes: change.exists, .isFolder, .stale. */
export const copy: Prepare = async (kit, request, id, place, name) => {
  const to = request.to;
  if (to === undefined) return fail('change.nothing', { path: request.path });
  const there = await lookAt(kit, place, name, request.path);
  if (!there.ok) return there;
  if (there.value === null) return fail('change.missing', { path: request.path });
  if (there.value.kind === 'folder') return fail('change.isFolder', { path: request.path });
  const source = await hashFile(kit.fs, place.at(name));
  const state: FileState = { kind: 'file', hash: source.hash, size: source.size, mode: source.stat.mode, blob: false };
  const expected = checkExpected(request, state);
  if (!expected.ok) return expected;
  const blobbed = source.size <= TRASH_BLOB_BYTES ? await kit.blobs.putFile(place.at(name)) : null;
  if (blobbed !== null && !blobbed.ok) return blobbed;
  if (blobbed !== null && blobbed.value.hash !== source.hash) return fail('change.stale', { path: request.path });
  const target = await openPlaceOf(kit, to);
  if (!target.ok) return target;
  const taken = await orClose(target.value.place, () => lookAt(kit, target.value.place, target.value.name, to));
  if (!taken.ok || taken.value !== null) {
    await target.value.place.close();
    return taken.ok ? fail('change.exists', { path: to }) : taken;
  }
  const after: FileState = { ...state, blob: blobbed !== null };
  return ok({
    kind: 'file', before: null, after,
    run: async () => {
      const done = await copyOver(kit, place.at(name), source.hash, { place: target.value.place, name: target.value.name, path: to, change: id });
      return done.ok ? ok({ after }) : done;
    },
    close: () => target.value.place.close(),
  });
};

