/**
 * The one door to the disk: log, blobs, file tools, revert, import and settings all go through it, so
 * that faults can be injected at every call (test/support/fs). Adapters throw Node's errno errors
 * (`code` is 'ENOSPC', 'EIO', …); callers turn them into values. No other module imports `node:fs`.
 */
export interface FsPort {
  /** Opens a file. Flags are Node's ('r', 'r+', 'wx', 'ax', …); mode applies to new files only. */
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  readFile(path: string): Promise<Uint8Array>;
  /** Names in a folder with their kinds, in the order of the disk. */
  readdir(path: string): Promise<readonly DirEntry[]>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  mkdir(path: string, options?: { readonly recursive?: boolean; readonly mode?: number }): Promise<void>;
  /** Removes an empty folder. */
  rmdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Hard link; fails with EEXIST when `to` exists. */
  link(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Kernel copy that refuses an existing target (COPYFILE_EXCL). */
  copyFile(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** Makes names created, renamed or removed in the folder durable. A no-op where the platform has none. */
  syncDir(path: string): Promise<void>;
}

export interface OpenFile {
  /** For `/proc/self/fd/N/…` on Linux; not for use with Node's fs directly. */
  readonly fd: number;
  /** Reads up to `length` bytes at `position`; returns how many (0 at the end). */
  read(into: Uint8Array, offset: number, length: number, position: number): Promise<number>;
  /** Writes all bytes (loops over short writes); `position` null appends at the file's own position. */
  write(bytes: Uint8Array, position: number | null): Promise<void>;
  /** The same into the page cache without leaving this tick; for small appends on the hot path. */
  writeNow(bytes: Uint8Array, position: number): void;
  /** Flushes data and metadata. */
  sync(): Promise<void>;
  /** Flushes data and what is needed to read it back. */
  datasync(): Promise<void>;
  /** The same without leaving this tick, where the disk is quick enough for that; not every adapter has it. */
  datasyncNow?(): void;
  truncate(length: number): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

export interface DirEntry {
  readonly name: string;
  readonly kind: FileKind;
}

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  /** Permission bits only (st_mode & 0o7777). */
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly nlink: number;
  /** Device and inode as text: two paths with the same pair are one file. */
  readonly dev: string;
  readonly ino: string;
  readonly uid: number;
}

/** The errno code of a thrown value, or 'EUNKNOWN'. */
export function errnoOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'EUNKNOWN';
}
