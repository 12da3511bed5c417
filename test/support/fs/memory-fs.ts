import { dirname, basename } from 'node:path';
import type { DirEntry, FileStat, FsPort, OpenFile } from '#main/ports/fs.ts';
import { errno } from './calls.ts';

export interface Node {
  readonly ino: number;
  readonly kind: 'file' | 'folder';
  mode: number;
  nlink: number;
  data: Buffer;
  /** Names in a folder. */
  readonly names: Map<string, Node>;
}

/** What happened to the disk, by inode: what a power loss may undo. */
export type DiskOp =
  | { readonly op: 'name'; readonly dir: number; readonly name: string; readonly node: number; readonly kind: Node['kind']; readonly mode: number }
  | { readonly op: 'unname'; readonly dir: number; readonly name: string }
  | { readonly op: 'rename'; readonly from: number; readonly old: string; readonly to: number; readonly name: string; readonly node: number }
  | { readonly op: 'write'; readonly node: number; readonly at: number; readonly bytes: Buffer }
  | { readonly op: 'truncate'; readonly node: number; readonly length: number }
  | { readonly op: 'chmod'; readonly node: number; readonly mode: number }
  | { readonly op: 'sync'; readonly node: number }
  /** A failed fsync: the pages are marked clean, and will never reach the disk (“fsyncgate”). */
  | { readonly op: 'lost'; readonly node: number }
  | { readonly op: 'syncDir'; readonly dir: number }
  | { readonly op: 'ack'; readonly what: string };

export interface MemoryFs extends FsPort {
  readonly root: Node;
  readonly trace: DiskOp[];
  /** What happened is acknowledged to somebody. */
  ack(what: string): void;
  /** Marks a file's unsynced pages as lost, as a failed fsync does. */
  losePages(path: string): void;
}

let inodes = 1;
export function newNode(kind: Node['kind'], ino = ++inodes, mode = kind === 'folder' ? 0o700 : 0o600): Node {
  return { ino, kind, mode, nlink: 1, data: Buffer.alloc(0), names: new Map() };
}

/** How a folder that is open is named, as Linux does. */
const HANDLE = /^\/proc\/self\/fd\/(\d+)/;

/** A disk in memory that writes down what is done to it. No links but hard ones, one owner, no clock. */
export function memoryFs(root: Node = newNode('folder', 1)): MemoryFs {
  const trace: DiskOp[] = [];
  const handles = new Map<number, Node>();
  let lastHandle = 100;
  const find = (path: string): Node | null => {
    const handle = HANDLE.exec(path);
    let at: Node | undefined = handle ? handles.get(Number(handle[1])) : root;
    for (const part of path.slice(handle?.[0].length ?? 0).split('/')) if (part !== '' && part !== '.') at = at?.kind === 'folder' ? at.names.get(part) : undefined;
    return at ?? null;
  };
  const pathOf = (node: Node, at = root, path = ''): string | null => {
    if (at === node) return path || '/';
    for (const [name, child] of at.names) {
      const found = pathOf(node, child, `${path}/${name}`);
      if (found !== null) return found;
    }
    return null;
  };
  const need = (path: string): Node => find(path) ?? fault('ENOENT');
  const folder = (path: string): Node => {
    const node = need(path);
    return node.kind === 'folder' ? node : fault('ENOTDIR');
  };
  const put = (dir: Node, name: string, node: Node) => {
    dir.names.set(name, node);
    trace.push({ op: 'name', dir: dir.ino, name, node: node.ino, kind: node.kind, mode: node.mode });
  };
  const stat = (node: Node): FileStat => ({ kind: node.kind, size: node.data.length, mode: node.mode, mtimeMs: 0, ctimeMs: 0, nlink: node.nlink, dev: '1', ino: String(node.ino), uid: 0 });
  const mkdir = (path: string, recursive: boolean, mode?: number): void => {
    if (path === '/' || find(path)) {
      if (recursive) return;
      fault('EEXIST');
    }
    if (recursive) mkdir(dirname(path), true, mode);
    put(folder(dirname(path)), basename(path), newNode('folder', undefined, mode));
  };
  const unlink = (path: string): void => {
    const dir = folder(dirname(path));
    const node = dir.names.get(basename(path)) ?? fault('ENOENT');
    if (node.kind === 'folder') fault('EISDIR');
    dir.names.delete(basename(path));
    node.nlink--;
    trace.push({ op: 'unname', dir: dir.ino, name: basename(path) });
  };
  const never = () => Promise.reject(errno('ENOSYS'));
  return {
    root, trace,
    ack: (what) => void trace.push({ op: 'ack', what }),
    losePages: (path) => void trace.push({ op: 'lost', node: need(path).ino }),
    async open(path, flags, mode) {
      let node = find(path);
      if (node && flags.includes('x')) fault('EEXIST');
      if (!node) {
        if (flags.startsWith('r')) fault('ENOENT');
        node = newNode('file', undefined, mode);
        put(folder(dirname(path)), basename(path), node);
      }
      if (flags.startsWith('w') && node.data.length > 0) truncate(node, 0, trace);
      const fd = ++lastHandle;
      handles.set(fd, node);
      return openFile(node, trace, stat, fd, () => void handles.delete(fd));
    },
    readFile: async (path) => {
      const node = need(path);
      return node.kind === 'file' ? Uint8Array.from(node.data) : fault('EISDIR');
    },
    readdir: async (path) => [...folder(path).names].map(([name, n]): DirEntry => ({ name, kind: n.kind })),
    stat: async (path) => stat(need(path)),
    lstat: async (path) => stat(need(path)),
    realpath: async (path) => {
      const node = need(path);
      return HANDLE.test(path) ? (pathOf(node) ?? fault('ENOENT')) : path;
    },
    readlink: never,
    mkdir: async (path, options) => mkdir(path, options?.recursive ?? false, options?.mode),
    async rmdir(path) {
      if (folder(path).names.size > 0) fault('ENOTEMPTY');
      folder(dirname(path)).names.delete(basename(path));
      trace.push({ op: 'unname', dir: folder(dirname(path)).ino, name: basename(path) });
    },
    async rename(from, to) {
      const [a, b] = [folder(dirname(from)), folder(dirname(to))];
      const node = a.names.get(basename(from)) ?? fault('ENOENT');
      const over = b.names.get(basename(to));
      // Two names of one file: nothing happens, both stay.
      if (over === node) return;
      if (over && over.kind !== node.kind) fault(over.kind === 'folder' ? 'EISDIR' : 'ENOTDIR');
      if (over && over.names.size > 0) fault('ENOTEMPTY');
      if (over) over.nlink--;
      a.names.delete(basename(from));
      b.names.set(basename(to), node);
      trace.push({ op: 'rename', from: a.ino, old: basename(from), to: b.ino, name: basename(to), node: node.ino });
    },
    async link(from, to) {
      if (find(to)) fault('EEXIST');
      const node = need(from);
      if (node.kind === 'folder') fault('EPERM');
      node.nlink++;
      put(folder(dirname(to)), basename(to), node);
    },
    symlink: never,
    unlink: async (path) => unlink(path),
    async copyFile(from, to) {
      if (find(to)) fault('EEXIST');
      const source = need(from);
      const node = newNode('file', undefined, source.mode);
      put(folder(dirname(to)), basename(to), node);
      write(node, source.data, 0, trace);
    },
    async chmod(path, mode) {
      const node = need(path);
      node.mode = mode;
      trace.push({ op: 'chmod', node: node.ino, mode });
    },
    syncDir: async (path) => void trace.push({ op: 'syncDir', dir: folder(path).ino }),
  };
}

function openFile(node: Node, trace: DiskOp[], stat: (node: Node) => FileStat, fd: number, closed: () => void): OpenFile {
  let at = 0;
  const sync = async () => void trace.push({ op: 'sync', node: node.ino });
  return {
    fd,
    read: async (into, offset, length, position) => node.data.copy(into, offset, position, Math.min(position + length, node.data.length)),
    async write(bytes, position) {
      write(node, bytes, position ?? at, trace);
      at = (position ?? at) + bytes.length;
    },
    writeNow: (bytes, position) => write(node, bytes, position, trace),
    sync, datasync: sync,
    datasyncNow: () => void trace.push({ op: 'sync', node: node.ino }),
    truncate: async (length) => truncate(node, length, trace),
    stat: async () => stat(node),
    close: async () => closed(),
  };
}

function write(node: Node, bytes: Uint8Array, at: number, trace: DiskOp[]): void {
  node.data = written(node.data, bytes, at);
  trace.push({ op: 'write', node: node.ino, at, bytes: Buffer.from(bytes) });
}

function truncate(node: Node, length: number, trace: DiskOp[]): void {
  node.data = sized(node.data, length);
  trace.push({ op: 'truncate', node: node.ino, length });
}

export function written(data: Buffer, bytes: Uint8Array, at: number): Buffer {
  const next = Buffer.alloc(Math.max(data.length, at + bytes.length));
  data.copy(next);
  next.set(bytes, at);
  return next;
}

export function sized(data: Buffer, length: number): Buffer {
  const next = Buffer.alloc(length);
  data.copy(next, 0, 0, length);
  return next;
}

function fault(code: string): never {
  throw errno(code);
}
