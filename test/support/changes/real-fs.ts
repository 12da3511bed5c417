import * as nodeFs from 'node:fs';
import * as fsp from 'node:fs/promises';
import type { FileKind, FileStat, FsPort, OpenFile } from '#main/ports/fs.ts';

/** A small real file system behind the port, for tests of the gate and of changes. */
export function realFs(): FsPort {
  return {
    open: async (path, flags, mode) => openFile(await fsp.open(path, flags, mode)),
    readFile: (path) => fsp.readFile(path),
    readdir: async (path) => (await fsp.readdir(path, { withFileTypes: true })).map((one) => ({ name: one.name, kind: kindOf(one) })),
    stat: async (path) => statOf(await fsp.stat(path, { bigint: true })),
    lstat: async (path) => statOf(await fsp.lstat(path, { bigint: true })),
    realpath: (path) => fsp.realpath(path),
    readlink: (path) => fsp.readlink(path),
    mkdir: async (path, options) => void (await fsp.mkdir(path, options ?? {})),
    rmdir: (path) => fsp.rmdir(path),
    rename: (from, to) => fsp.rename(from, to),
    link: (from, to) => fsp.link(from, to),
    symlink: (target, path) => fsp.symlink(target, path),
    unlink: (path) => fsp.unlink(path),
    copyFile: (from, to) => fsp.copyFile(from, to, nodeFs.constants.COPYFILE_EXCL),
    chmod: (path, mode) => fsp.chmod(path, mode),
    syncDir: async (path) => {
      const dir = await fsp.open(path, 'r');
      try {
        await dir.sync();
      } finally {
        await dir.close();
      }
    },
  };
}

function openFile(handle: fsp.FileHandle): OpenFile {
  return {
    fd: handle.fd,
    read: async (into, offset, length, position) => (await handle.read(into, offset, length, position)).bytesRead,
    write: async (bytes, position) => {
      for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done, bytes.length - done, position === null ? null : position + done)).bytesWritten;
    },
    writeNow: (bytes, position) => {
      for (let done = 0; done < bytes.length; ) done += nodeFs.writeSync(handle.fd, bytes, done, bytes.length - done, position + done);
    },
    sync: () => handle.sync(),
    datasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    stat: async () => statOf(await handle.stat({ bigint: true })),
    close: () => handle.close(),
  };
}

function kindOf(one: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileKind {
  return one.isFile() ? 'file' : one.isDirectory() ? 'folder' : one.isSymbolicLink() ? 'link' : 'other';
}

function statOf(stat: nodeFs.BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size), mode: Number(stat.mode) & 0o7777, mtimeMs: Number(stat.mtimeMs), ctimeMs: Number(stat.ctimeMs), nlink: Number(stat.nlink),
    dev: String(stat.dev), ino: String(stat.ino), uid: Number(stat.uid),
  };
}
