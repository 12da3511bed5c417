import type { FileState } from '#domain/events/index.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { FileStat } from '#main/ports/fs.ts';
import { failureOf, quietly, TRASH_BLOB_BYTES, UNSETTLED, type Done, type Kit } from './kit.ts';
import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { folderState, hashFile, isPlaceholder, lookAt, sameState, stateAt } from './look.ts';
import type { Place } from './place.ts';
import type { ChangeRequest } from './types.ts';
import { checkExpected, type Prepare } from './verbs.ts';

/**
 * To the system's trash, never away for good (C-10). Files up to 64 MB get a before-blob; a link goes
 * itself, never what it points to. Codes: change.missing, .stale, .placeholder, trash.*, blob.*.
 */
export const trash: Prepare = async (kit, request, _id, place, name) => {
  const stat = await lstatOrNull(kit.fs, place.at(name));
  if (stat === null) return fail('change.missing', { path: request.path });
  if (stat.kind !== 'link') {
    const looked = await lookAt(kit, place, name, request.path);
    if (!looked.ok) return looked;
  }
  if (stat.kind === 'folder' && (await holdsPlaceholder(kit, place.at(name)))) return fail('change.placeholder', { path: request.path });
  const before = await beforeTrash(kit, place, name, stat);
  if (!before.ok) return before;
  const expected = checkExpected(request, before.value);
  if (!expected.ok) return expected;
  return ok({
    kind: stat.kind === 'folder' ? 'folder' : 'file', before: before.value, after: null,
    ...(expected.value.differs && before.value.blob ? { kept: before.value } : {}),
    run: () => putAway(kit, request, place, name, before.value),
  });
};

async function beforeTrash(kit: Kit, place: Place, name: string, stat: FileStat): Promise<Result<FileState>> {
  if (stat.kind === 'folder') return ok(folderState(stat));
  if (stat.kind === 'link') return ok({ kind: 'file', hash: null, size: stat.size, mode: stat.mode, blob: false });
  if (stat.size > TRASH_BLOB_BYTES) return ok((await stateAt(kit.fs, place.at(name)))!);
  const stored = await kit.blobs.putFile(place.at(name));
  return stored.ok ? ok({ kind: 'file', hash: stored.value.hash, size: stored.value.size, mode: stat.mode, blob: true }) : stored;
}

async function putAway(kit: Kit, request: ChangeRequest, place: Place, name: string, before: FileState): Promise<Result<Done>> {
  if (!(await place.same())) return fail('change.swapped', { path: request.path });
  // The last look: what goes to the trash is what was approved.
  if (!sameState(await stateAt(kit.fs, place.at(name)), before)) return fail('change.stale', { path: request.path });
  const put = await kit.trash.put(request.path);
  if (!put.ok) {
    const still = await stateAt(kit.fs, place.at(name)).catch(() => null);
    return still !== null ? put : fail(UNSETTLED, { path: request.path }, put.error.code);
  }
  const done: { after: null; trashed?: { file: string; info: string | null }; overtaken?: FileState } = { after: null };
  if (put.value === null) return ok(done);
  done.trashed = put.value;
  // A save in the gap is in the trash now, whole; it is named to the person.
  const there = before.hash === null ? null : await hashFile(kit.fs, put.value.file).catch(() => null);
  if (there !== null && there.hash !== before.hash) {
    const stored = await kit.blobs.putFile(put.value.file);
    if (stored.ok) done.overtaken = { kind: 'file', hash: stored.value.hash, size: stored.value.size, mode: there.stat.mode, blob: true };
  }
  return ok(done);
}

/** A created folder goes only when it is empty (design §4). Codes: change.folderNotEmpty, .missing. */
export const removeFolder: Prepare = async (kit, request, _id, place, name) => {
  const stat = await lstatOrNull(kit.fs, place.at(name));
  if (stat === null) return fail('change.missing', { path: request.path });
  if (stat.kind !== 'folder') return fail('change.stale', { path: request.path });
  if ((await kit.fs.readdir(place.at(name))).length > 0) return fail('change.folderNotEmpty', { path: request.path });
  return ok({
    kind: 'folder', before: folderState(stat), after: null,
    run: async () => {
      if (!(await place.same())) return fail('change.swapped', { path: request.path });
      await kit.fs.rmdir(place.at(name));
      try {
        await place.sync();
        return ok({ after: null });
      } catch (cause) {
        if (!(await quietly(() => kit.fs.mkdir(place.at(name), { mode: stat.mode })))) return fail(UNSETTLED, { path: request.path });
        await quietly(() => place.sync());
        return failureOf(cause, kit.flavour, { path: request.path });
      }
    },
  });
};

/** Looks for cloud stubs in a folder, 5,000 entries deep at most. */
async function holdsPlaceholder(kit: Kit, top: string): Promise<boolean> {
  const stack = [top];
  for (let seen = 0; stack.length > 0 && seen < 5000; ) {
    const folder = stack.pop()!;
    for (const one of await kit.fs.readdir(folder)) {
      seen += 1;
      if (one.kind === 'folder') stack.push(`${folder}/${one.name}`);
      else if (one.kind === 'file' && (await isPlaceholder(kit.fs, (name) => `${folder}/${name}`, one.name, 1))) return true;
    }
  }
  return false;
}
