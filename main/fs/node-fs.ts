import * as node from 'node:fs';
import type { DirEntry, FileKind, FileStat, FsPort, OpenFile } from '#main/ports/fs.ts';

/** The real disk. The only module that imports `node:fs` (checked by the rule file). */
export function createNodeFs(): FsPort {
  return {
    open: async (path, flags, mode) => openFile(await openFd(path, flags, mode)),
    readFile: (path) => node.promises.readFile(path),
    async readdir(path) {
      const entries = await node.promises.readdir(path, { withFileTypes: true });
      return entries.map((e): DirEntry => ({ name: e.name, kind: kindOf(e) }));
    },
    stat: async (path) => statOf(await node.promises.stat(path, { bigint: true })),
    lstat: async (path) => statOf(await node.promises.lstat(path, { bigint: true })),
    realpath: (path) => new Promise((done, refuse) => node.realpath.native(path, (cause, real) => (cause ? refuse(cause) : done(real)))),
    readlink: (path) => node.promises.readlink(path),
    async mkdir(path, options) {
      await node.promises.mkdir(path, { recursive: options?.recursive ?? false, ...(options?.mode === undefined ? {} : { mode: options.mode }) });
    },
    rmdir: (path) => node.promises.rmdir(path),
    rename: (from, to) => node.promises.rename(from, to),
    link: (from, to) => node.promises.link(from, to),
    symlink: (target, path) => node.promises.symlink(target, path),
    unlink: (path) => node.promises.unlink(path),
    copyFile: (from, to) => node.promises.copyFile(from, to, node.constants.COPYFILE_EXCL),
    chmod: (path, mode) => node.promises.chmod(path, mode),
    async syncDir(path) {
      // Windows has no handle of a folder to flush; NTFS journals names by itself.
      if (process.platform === 'win32') return;
      const dir = openFile(await openFd(path, 'r'));
      try {
        await dir.sync();
      } finally {
        await dir.close();
      }
    },
  };
}

type Done = (cause: NodeJS.ErrnoException | null) => void;
const called = (call: (done: Done) => void): Promise<void> => new Promise((done, refuse) => call((cause) => (cause ? refuse(cause) : done())));

function openFd(path: string, flags: string, mode?: number): Promise<number> {
  return new Promise((done, refuse) => node.open(path, flags, mode ?? 0o666, (cause, fd) => (cause ? refuse(cause) : done(fd))));
}

/** On the descriptor itself: Node's file handles cost half as much again as a small read or flush does. */
function openFile(opened: number): OpenFile {
  // −1 once it is closed: the number may be another file's by then, and every call is refused.
  let fd = opened;
  return {
    fd,
    read: (into, offset, length, position) => new Promise((done, refuse) => node.read(fd, into, offset, length, position, (cause, got) => (cause ? refuse(cause) : done(got)))),
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        const at = position === null ? null : position + done;
        done += await new Promise<number>((written, refuse) => node.write(fd, bytes, done, bytes.length - done, at, (cause, n) => (cause ? refuse(cause) : written(n))));
      }
    },
    // Straight to the page cache: a hop through the thread pool costs more than the copy.
    writeNow(bytes, position) {
      for (let done = 0; done < bytes.length; ) done += node.writeSync(fd, bytes, done, bytes.length - done, position + done);
    },
    sync: () => called((done) => node.fsync(fd, done)),
    datasync: () => called((done) => node.fdatasync(fd, done)),
    datasyncNow: () => node.fdatasyncSync(fd),
    truncate: (length) => called((done) => node.ftruncate(fd, length, done)),
    stat: () => new Promise((done, refuse) => node.fstat(fd, { bigint: true }, (cause, stat) => (cause ? refuse(cause) : done(statOf(stat))))),
    close: () => {
      const last = fd;
      fd = -1;
      return called((done) => node.close(last, done));
    },
  };
}

function kindOf(e: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileKind {
  if (e.isSymbolicLink()) return 'link';
  if (e.isFile()) return 'file';
  return e.isDirectory() ? 'folder' : 'other';
}

function statOf(s: node.BigIntStats): FileStat {
  return {
    kind: kindOf(s), size: Number(s.size), mode: Number(s.mode) & 0o7777, mtimeMs: Number(s.mtimeMs), ctimeMs: Number(s.ctimeMs),
    nlink: Number(s.nlink), dev: String(s.dev), ino: String(s.ino), uid: Number(s.uid),
  };
}
