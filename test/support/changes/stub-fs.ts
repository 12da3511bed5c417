import { foldName, formatPath, normalisePath, splitPath, type Flavour } from '#domain/policy/flavour.ts';
import type { FileStat, FsPort } from '#main/ports/fs.ts';

/**
 * Names without bytes: enough of a Windows or macOS disk for the gate to resolve a path on. Ignores
 * case like their volumes; `links` maps a folder (junction, mount point, short name) to what it is.
 */
export function stubFs(flavour: Flavour, files: readonly string[], folders: readonly string[], links: Readonly<Record<string, string>> = {}): FsPort {
  const entries = new Map<string, { path: string; kind: 'file' | 'folder' | 'link' }>();
  const key = (path: string) => normalisePath(path, flavour).split(/[\\/]/).map(foldName).join('/');
  const add = (path: string, kind: 'file' | 'folder' | 'link') => {
    const { root, parts } = splitPath(path, flavour);
    for (let i = 0; i < parts.length; i++) {
      const at = formatPath({ root, parts: parts.slice(0, i) }, flavour);
      if (!entries.has(key(at))) entries.set(key(at), { path: at, kind: 'folder' });
    }
    entries.set(key(path), { path: normalisePath(path, flavour), kind });
  };
  for (const path of folders) add(path, 'folder');
  for (const path of files) add(path, 'file');
  for (const path of Object.keys(links)) add(path, 'link');

  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  const real = (path: string, depth = 0): string => {
    if (depth > 40) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP' });
    const { root, parts } = splitPath(path, flavour);
    let at = root;
    for (const [i, part] of parts.entries()) {
      const next = normalisePath(`${at}/${part}`, flavour);
      const entry = entries.get(key(next));
      if (entry === undefined) throw missing(path);
      if (entry.kind === 'link') {
        const target = links[Object.keys(links).find((one) => key(one) === key(next))!]!;
        return real([target, ...parts.slice(i + 1)].join('/'), depth + 1);
      }
      at = entry.path;
    }
    return at;
  };
  const stat = (path: string, follow: boolean): FileStat => {
    const entry = entries.get(key(follow ? real(path) : path));
    if (entry === undefined) throw missing(path);
    return { kind: entry.kind, size: 0, mode: 0o644, mtimeMs: 0, ctimeMs: 0, nlink: 1, dev: '1', ino: entry.path, uid: 0 };
  };
  const never = () => Promise.reject(new Error('the gate only looks'));
  return {
    realpath: async (path) => real(path),
    stat: async (path) => stat(path, true),
    lstat: async (path) => stat(path, false),
    readdir: async (path) => {
      const inside = key(path);
      return [...entries.values()].filter((one) => key(one.path).startsWith(inside + '/') && !key(one.path).slice(inside.length + 1).includes('/')).map((one) => ({ name: splitPath(one.path, flavour).parts.at(-1)!, kind: one.kind }));
    },
    open: never, readFile: never, readlink: never, mkdir: never, rmdir: never, rename: never, link: never, symlink: never, unlink: never, copyFile: never, chmod: never, syncDir: never,
  };
}
