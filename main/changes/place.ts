import { joinPath, nameOf, parentOf } from '#domain/policy/flavour.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { failureOf, type Kit } from './kit.ts';

/**
 * A folder held while its entries change. With a handle every name goes through `/proc/self/fd/N`, so
 * that a parent swapped for a link meanwhile cannot lead elsewhere; without, `same()` before and after
 * notices the swap (design §4).
 */
export interface Place {
  readonly folder: string;
  at(name: string): string;
  /** True while the path still leads to the folder that is held. */
  same(): Promise<boolean>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the parent of a path. Codes: change.folderMissing, change.swapped, change.denied, change.io. */
export async function openPlaceOf(kit: Kit, path: string): Promise<Result<{ readonly place: Place; readonly name: string }>> {
  const folder = parentOf(path, kit.flavour);
  const name = nameOf(path, kit.flavour);
  if (name === '') return fail('change.isFolder', { path });
  try {
    const place = kit.handles ? await byHandle(kit, folder) : await byPath(kit, folder);
    if (await place.same()) return ok({ place, name });
    await place.close();
    return fail('change.swapped', { path });
  } catch (cause) {
    const failure = failureOf(cause, kit.flavour, { path });
    return failure.error.code === 'change.missing' ? fail('change.folderMissing', { path }, 'ENOENT') : failure;
  }
}

/** Does work with a place that nobody else knows yet; the disk's error does not leave its handle open. */
export async function orClose<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    await place.close();
    throw cause;
  }
}

async function byHandle(kit: Kit, folder: string): Promise<Place> {
  const { fs } = kit;
  const handle = await fs.open(folder, 'r');
  const base = `/proc/self/fd/${handle.fd}`;
  return {
    folder,
    at: (name) => `${base}/${name}`,
    same: async () => (await fs.realpath(base)) === folder,
    sync: () => fs.syncDir(base),
    close: async () => void (await handle.close().catch(() => undefined)),
  };
}

async function byPath(kit: Kit, folder: string): Promise<Place> {
  const { fs } = kit;
  const first = await fs.stat(folder);
  return {
    folder,
    at: (name) => joinPath(folder, name, kit.flavour),
    same: async () => {
      const now = await fs.stat(folder);
      return (await fs.realpath(folder)) === folder && now.dev === first.dev && now.ino === first.ino;
    },
    sync: () => fs.syncDir(folder),
    close: () => Promise.resolve(),
  };
}
