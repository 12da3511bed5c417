import { fail, ok, type Result } from '#domain/result.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** Where the local assistant's copies go, below the work address (WA-WRITE-06). */
export const BACKUP_FOLDER = '.desktoppet/backups';

/**
 * Leaves a copy of a file's present bytes beside the work, as the source asks of the local assistant
 * (C-02, WA-WRITE-01, -07): `a__b.c.yyyyMMdd-HHmmss.bak`, local time. Never over an existing name,
 * never through a link. `root` is the real root, `relative` is written with `/`. Code: change.backup.
 */
export async function leaveBackup(fs: FsPort, root: string, relative: string, bytes: Uint8Array, now: number): Promise<Result<string>> {
  const folder = `${root}/${BACKUP_FOLDER}`;
  try {
    // Level by level: a link at the first must not get a folder made behind it.
    let level = root;
    for (const name of BACKUP_FOLDER.split('/')) {
      level += `/${name}`;
      await fs.mkdir(level).catch((cause: unknown) => {
        if (errnoOf(cause) !== 'EEXIST') throw cause;
      });
      if ((await fs.realpath(level)).replaceAll('\\', '/') !== level.replaceAll('\\', '/')) return fail('change.backup', { path: relative }, 'the folder for copies is a link');
    }
    const base = `${relative.replaceAll('/', '__')}.${stamp(now)}`.slice(-180);
    for (let n = 1; n < 100; n++) {
      const name = `${base}${n === 1 ? '' : `-${n}`}.bak`;
      const file = await fs.open(`${folder}/${name}`, 'wx').catch((cause: unknown) => {
        if (errnoOf(cause) === 'EEXIST') return null;
        throw cause;
      });
      if (file === null) continue;
      try {
        await file.write(bytes, 0);
        await file.sync();
      } catch (cause) {
        // Half a copy is worse than none: it would look like one on the day it is needed.
        await file.close().catch(() => undefined);
        await fs.unlink(`${folder}/${name}`).catch(() => undefined);
        throw cause;
      }
      await file.close();
      return ok(`${BACKUP_FOLDER}/${name}`);
    }
    return fail('change.backup', { path: relative });
  } catch (cause) {
    return fail('change.backup', { path: relative }, errnoOf(cause));
  }
}

function stamp(now: number): string {
  const at = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}
