import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { createHash } from 'node:crypto';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Trash } from '#main/changes/types.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

export interface FreedesktopDeps {
  readonly fs: FsPort;
  readonly clock: Clock;
  /** `$XDG_DATA_HOME`, or `~/.local/share`. */
  readonly dataHome: string;
  readonly uid: number;
}

/**
 * The trash of Linux desktops by the freedesktop.org specification 1.0: the home trash for files on its
 * disk, `.Trash-<uid>` at the top of any other. One rename each way; never copies, never deletes a
 * file's bytes (C-10). Codes: trash.unavailable, trash.failed, trash.gone, trash.targetExists.
 */
export function createFreedesktopTrash(deps: FreedesktopDeps): Trash {
  return { put: (path) => put(deps, path), restore: (item, to) => restore(deps, item, to) };
}

async function put(deps: FreedesktopDeps, path: string): ReturnType<Trash['put']> {
  const { fs } = deps;
  let info: string | null = null;
  try {
    const { top, dir } = await trashFor(deps, path);
    for (const part of ['files', 'info']) await makeFolder(fs, `${dir}/${part}`);
    const base = path.slice(path.lastIndexOf('/') + 1);
    for (let n = 1; n < 10_000; n++) {
      const name = numbered(base, n);
      const file = `${dir}/files/${name}`;
      const candidate = `${dir}/info/${name}.trashinfo`;
      if ((await lstatOrNull(fs, file)) !== null) continue;
      // The info file reserves the name, as the specification asks.
      const opened = await fs.open(candidate, 'wx', 0o600).catch((cause: unknown) => {
        if (errnoOf(cause) === 'EEXIST') return null;
        throw cause;
      });
      if (opened === null) continue;
      info = candidate;
      try {
        await opened.write(new TextEncoder().encode(infoText(top === null ? path : path.slice(top.length + 1), deps.clock.now())), 0);
        await opened.sync();
      } finally {
        await opened.close();
      }
      // What says where it came from is durable before it goes.
      await fs.syncDir(`${dir}/info`);
      await fs.rename(path, file);
      // From here the file is in the trash, whatever a flush says.
      for (const folder of [`${dir}/files`, folderOf(path)]) await fs.syncDir(folder).catch(() => undefined);
      return ok({ file, info: candidate });
    }
    return fail('trash.failed', { path });
  } catch (cause) {
    if (info !== null) await fs.unlink(info).catch(() => undefined);
    return fail(errnoOf(cause) === 'EXDEV' || errnoOf(cause) === 'NOTRASH' ? 'trash.unavailable' : 'trash.failed', { path }, errnoOf(cause));
  }
}

/** The trash on the file's own disk. `top` is set for one that stores relative paths. */
async function trashFor(deps: FreedesktopDeps, path: string): Promise<{ top: string | null; dir: string }> {
  const { fs } = deps;
  const { dev } = await fs.lstat(path);
  const home = `${deps.dataHome}/Trash`;
  await makeFolder(fs, home);
  const homeStat = await fs.stat(home);
  if (homeStat.dev === dev) return { top: null, dir: home };
  let top = folderOf(path);
  for (let up = top; up !== '/'; ) {
    up = folderOf(up);
    if ((await fs.stat(up)).dev !== dev) break;
    top = up;
  }
  const dir = `${top === '/' ? '' : top}/.Trash-${deps.uid}`;
  const stat = await lstatOrNull(fs, dir);
  if (stat === null) {
    await fs.mkdir(dir, { mode: 0o700 });
    await fs.syncDir(top);
  }
  // Someone else's folder or a link here would hand them the files.
  else if (stat.kind !== 'folder' || stat.uid !== deps.uid) throw Object.assign(new Error('no safe trash on this disk'), { code: 'NOTRASH' });
  return { top: top === '/' ? '' : top, dir };
}

/** Makes a folder, and those above it, whose names a power loss does not take: what is moved into it must stay reachable. */
async function makeFolder(fs: FsPort, folder: string): Promise<void> {
  if ((await lstatOrNull(fs, folder)) !== null) return;
  const above = folderOf(folder);
  await makeFolder(fs, above);
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  await fs.syncDir(above);
}

/** `name`, then `name 2`, with the extension kept; long names are cut and made distinct by a hash. */
function numbered(base: string, n: number): string {
  const dot = base.lastIndexOf('.') > 0 ? base.lastIndexOf('.') : base.length;
  const name = n === 1 ? base : `${base.slice(0, dot)} ${n}${base.slice(dot)}`;
  if (Buffer.byteLength(name) <= 240) return name;
  return `${createHash('sha256').update(base).digest('hex').slice(0, 24)} ${n}${Buffer.byteLength(base.slice(dot)) < 20 ? base.slice(dot) : ''}`;
}

function infoText(path: string, now: number): string {
  const local = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return `[Trash Info]\nPath=${path.split('/').map(encodeURIComponent).join('/')}\nDeletionDate=${local}\n`;
}

async function restore(deps: FreedesktopDeps, item: { readonly file: string; readonly info: string | null }, to: string): Promise<Result<void>> {
  const { fs } = deps;
  try {
    const stat = await lstatOrNull(fs, item.file);
    if (stat === null) return fail('trash.gone', { path: to });
    if ((await lstatOrNull(fs, to)) !== null) return fail('trash.targetExists', { path: to });
    if (stat.kind === 'file' && (await linked(fs, item.file, to))) {
      try {
        // Durable here before it leaves the trash.
        await fs.syncDir(folderOf(to));
        await fs.unlink(item.file);
      } catch (cause) {
        await fs.unlink(to);
        await fs.syncDir(folderOf(to)).catch(() => undefined);
        throw cause;
      }
    } else await fs.rename(item.file, to);
    if (item.info !== null) await fs.unlink(item.info).catch(() => undefined);
    await fs.syncDir(folderOf(to)).catch(() => undefined);
    return ok();
  } catch (cause) {
    return fail(errnoOf(cause) === 'EEXIST' ? 'trash.targetExists' : 'trash.failed', { path: to }, errnoOf(cause));
  }
}

/** By link an existing target is refused by the disk itself. False where there are no hard links. */
async function linked(fs: FsPort, from: string, to: string): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (cause) {
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(cause))) return false;
    throw cause;
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
