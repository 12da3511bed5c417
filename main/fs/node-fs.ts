import * as node from 'node:fs';
import type { DirEntry, FileKind, FileStat, FsPort, OpenFile } from '#main/ports/fs.ts';

/** The real disk. The only module that imports `node:fs` (checked by the rule file). */
export function createNodeFs(): FsPort {
  return {
    open: async (path, flags, mode) => openFile(await node.promises.open(path, flags, mode)),
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
      const dir = await node.promises.open(path, 'r');
      try {
        await dir.sync();
      } finally {
        await dir.close();
      }
    },
  };
}

function openFile(handle: node.promises.FileHandle): OpenFile {
  const { fd } = handle;
  return {
    fd,
    async read(into, offset, length, position) {
      return (await handle.read(into, offset, length, position)).bytesRead;
    },
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position === null ? null : position + done);
        done += bytesWritten;
      }
    },
    // Straight to the page cache: a hop through the thread pool costs more than the copy.
    writeNow(bytes, position) {
      for (let done = 0; done < bytes.length; ) done += node.writeSync(fd, bytes, done, bytes.length - done, position + done);
    },
    sync: () => handle.sync(),
    datasync: () => new Promise((done, refuse) => node.fdatasync(fd, (cause) => (cause ? refuse(cause) : done()))),
    datasyncNow: () => node.fdatasyncSync(fd),
    truncate: (length) => handle.truncate(length),
    stat: async () => statOf(await handle.stat({ bigint: true })),
    close: () => handle.close(),
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
