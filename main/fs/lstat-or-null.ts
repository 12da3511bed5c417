import { errnoOf, type FileStat, type FsPort } from '#main/ports/fs.ts';

/** What stands at a path, links not followed; null when nothing does. Throws every other error of the disk. */
export async function lstatOrNull(fs: Pick<FsPort, 'lstat'>, path: string): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null;
    throw cause;
  }
}
