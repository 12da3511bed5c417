import { errnoOf, type DirEntry, type FsPort, type OpenFile } from '#main/ports/fs.ts';

/** Thrown where a path leads elsewhere than the gate resolved it: a folder became a link meanwhile. */
function moved(): Error {
  return Object.assign(new Error('the path leads elsewhere now'), { code: 'ESTALE' });
}

/**
 * Opens a resolved path for reading and makes sure that what was opened is what the path named when the
 * gate judged it: no link may have slipped in between. Throws errno errors; `ESTALE` for a swap.
 */
export async function openExactly(fs: FsPort, path: string): Promise<OpenFile> {
  const file = await fs.open(path, 'r');
  try {
    if (!(await isExactly(fs, file, path))) throw moved();
    return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

async function isExactly(fs: FsPort, file: OpenFile, path: string): Promise<boolean> {
  if (path.startsWith('/')) {
    // Linux says where an open file is; nothing can swap that.
    const real = await fs.realpath(`/proc/self/fd/${file.fd}`).catch((cause: unknown) => (errnoOf(cause) === 'ENOENT' ? null : Promise.reject(cause as Error)));
    if (real !== null) return real === path;
  }
  const opened = await file.stat();
  const named = await fs.lstat(path);
  return named.dev === opened.dev && named.ino === opened.ino && (await fs.realpath(path)) === path;
}

/** Names in a resolved folder, through its handle where the system has one. Throws like openExactly. */
export async function readFolderExactly(fs: FsPort, path: string): Promise<readonly DirEntry[]> {
  if (!path.startsWith('/')) return readBetweenLooks(fs, path);
  const folder = await openExactly(fs, path);
  try {
    return await fs.readdir(`/proc/self/fd/${folder.fd}`);
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
    return await readBetweenLooks(fs, path);
  } finally {
    await folder.close();
  }
}

async function readBetweenLooks(fs: FsPort, path: string): Promise<readonly DirEntry[]> {
  const before = await fs.lstat(path);
  const entries = await fs.readdir(path);
  const after = await fs.lstat(path);
  if (before.ino !== after.ino || before.dev !== after.dev || (await fs.realpath(path)) !== path) throw moved();
  return entries;
}
