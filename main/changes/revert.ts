import { fail, ok, type Result } from '#domain/result.ts';
import { together } from '#main/fs/together.ts';
import { UNSETTLED, type Done } from './kit.ts';
import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { lookAt, stateAt } from './look.ts';
import { move } from './move.ts';
import { removeFolder, trash } from './remove.ts';
import { appearing, checkExpected, mkdir, replacing, type Prepare } from './verbs.ts';

/**
 * Takes a change back through the same protocol (design §4): brings a blob back, moves back, takes out
 * of the trash, or removes what was created. Never guesses: without the blob nothing happens (case 6),
 * and only an explicit `restore: null` removes.
 * Codes: change.noBlob, .stale, .exists, .folderNotEmpty, .nothing, trash.gone and those of the verbs.
 */
export const revert: Prepare = async (kit, request, id, place, name) => {
  if (request.to !== undefined) return move(kit, request, id, place, name);
  if (request.untrash !== undefined) return untrash(kit, request, id, place, name);
  if (request.restore === undefined) return fail('change.nothing', { path: request.path });
  if (request.restore === null) {
    const stat = await lstatOrNull(kit.fs, place.at(name));
    return stat?.kind === 'folder' && request.expected?.kind === 'folder' ? removeFolder(kit, request, id, place, name) : trash(kit, request, id, place, name);
  }
  if (request.restore.kind === 'folder') return mkdir(kit, request, id, place, name);
  const [bytes, looked] = await together(contentOf(kit, request), lookAt(kit, place, name, request.path));
  if (!bytes.ok) return bytes;
  if (!looked.ok) return looked;
  // What the store gave it has checked against that hash a moment ago.
  const known = request.content === undefined ? (request.restore.hash ?? undefined) : undefined;
  if (looked.value !== null) return replacing(kit, request, id, place, name, bytes.value, known);
  const expected = checkExpected(request, null);
  return expected.ok ? appearing(kit, request, id, place, name, bytes.value, request.restore.mode) : expected;
};

const contentOf = async (kit: Parameters<Prepare>[0], request: Parameters<Prepare>[1]): Promise<Result<Uint8Array>> => {
  if (request.content !== undefined) return ok(request.content);
  const hash = request.restore?.hash ?? null;
  if (hash === null) return fail('change.noBlob', { path: request.path });
  const got = await kit.blobs.get(hash);
  return got.ok ? got : fail('change.noBlob', { path: request.path }, got.error.code);
};

/** Out of the trash to its old name; when the trash was emptied, from the blob. */
const untrash: Prepare = async (kit, request, id, place, name) => {
  const item = request.untrash!;
  const looked = await lookAt(kit, place, name, request.path);
  if (!looked.ok) return looked;
  if (looked.value !== null) return fail('change.exists', { path: request.path });
  const there = await stateAt(kit.fs, item.file).catch(() => null);
  const restore = request.restore ?? null;
  if (there === null) {
    if (restore?.kind !== 'file' || restore.hash === null) return fail('trash.gone', { path: request.path });
    const bytes = await contentOf(kit, request);
    return bytes.ok ? appearing(kit, request, id, place, name, bytes.value, restore.mode) : fail('trash.gone', { path: request.path }, bytes.error.code);
  }
  const after = restore !== null && restore.hash === there.hash ? { ...there, blob: restore.blob } : there;
  return ok({
    kind: there.kind, before: null, after,
    run: async (): Promise<Result<Done>> => {
      if (!(await place.same())) return fail('change.swapped', { path: request.path });
      const back = await kit.trash.restore(item, request.path);
      if (back.ok) return ok({ after });
      const clean = await lstatOrNull(kit.fs, place.at(name)).then((half) => half === null, () => false);
      return clean ? back : fail(UNSETTLED, { path: request.path }, back.error.code);
    },
  });
};
