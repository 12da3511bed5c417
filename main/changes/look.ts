import { lstatOrNull } from '#main/fs/lstat-or-null.ts';
import { createHash } from 'node:crypto';
import type { FileState } from '#domain/events/index.ts';
import type { Hash } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { FileStat, FsPort } from '#main/ports/fs.ts';
import { MAX_WRITE_BYTES, patiently, type Kit } from './kit.ts';
import type { Place } from './place.ts';

/** A file's bytes with what the disk said about them at that moment. */
export interface Snapshot {
  readonly bytes: Uint8Array;
  readonly state: FileState;
  readonly stat: FileStat;
}

/** SHA-256 of some bytes, as blobs are named. */
export function hashOf(bytes: Uint8Array): Hash {
  return createHash('sha256').update(bytes).digest('hex') as Hash;
}

/** SHA-256 and size of a file, in pieces of 1 MiB. Throws errno errors. */
export async function hashFile(fs: FsPort, path: string): Promise<{ readonly hash: Hash; readonly size: number; readonly stat: FileStat }> {
  const file = await fs.open(path, 'r');
  try {
    const stat = await file.stat();
    if (stat.kind !== 'file') throw Object.assign(new Error('not a regular file'), { code: stat.kind === 'folder' ? 'EISDIR' : 'EIO' });
    const hash = createHash('sha256');
    const buffer = new Uint8Array(1024 * 1024);
    let size = 0;
    for (let got; (got = await file.read(buffer, 0, buffer.length, size)) > 0; size += got) hash.update(buffer.subarray(0, got));
    return { hash: hash.digest('hex') as Hash, size, stat };
  } finally {
    await file.close();
  }
}

/** Whether a file holds exactly these bytes; comparing costs a tenth of hashing. Throws errno errors. */
export async function holdsBytes(fs: FsPort, path: string, bytes: Uint8Array): Promise<boolean> {
  const file = await fs.open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(bytes.length + 1, 1024 * 1024));
    for (let at = 0; ; ) {
      const got = await file.read(buffer, 0, buffer.length, at);
      if (got === 0) return at === bytes.length;
      if (!buffer.subarray(0, got).equals(bytes.subarray(at, at + got))) return false;
      at += got;
    }
  } finally {
    await file.close();
  }
}

/**
 * What stands at a name, links not followed. Codes: change.link, change.notRegular, change.placeholder
 * (a cloud drive's stub whose bytes are elsewhere: copying or trashing it would lose them, case 39).
 */
export async function lookAt(kit: Kit, place: Place, name: string, path: string): Promise<Result<FileStat | null>> {
  const stat = await lstatOrNull(kit.fs, place.at(name));
  if (stat === null) return ok(null);
  if (stat.kind === 'link') return fail('change.link', { path });
  if (stat.kind === 'other') return fail('change.notRegular', { path });
  if (stat.kind === 'file' && (await isPlaceholder(kit.fs, (one) => place.at(one), name, stat.size))) return fail('change.placeholder', { path });
  return ok(stat);
}

/** A stub of a cloud drive: `.name.icloud`, or an empty file with such a stub beside it. */
export async function isPlaceholder(fs: FsPort, at: (name: string) => string, name: string, size: number): Promise<boolean> {
  if (/^\..+\.icloud$/i.test(name)) return true;
  return size === 0 && (await lstatOrNull(fs, at(`.${name}.icloud`))) !== null;
}

/**
 * Reads a regular file whole, making sure that what was opened is what the folder names. Bytes equal to
 * those of `earlier` have its hash. Codes as lookAt, change.missing, .isFolder, .tooLarge, .stale.
 */
export async function snapshot(kit: Kit, place: Place, name: string, path: string, earlier?: Snapshot): Promise<Result<Snapshot>> {
  const looked = await lookAt(kit, place, name, path);
  if (!looked.ok) return looked;
  if (looked.value === null) return fail('change.missing', { path });
  if (looked.value.kind === 'folder') return fail('change.isFolder', { path });
  if (looked.value.size > MAX_WRITE_BYTES) return fail('change.tooLarge', { path, size: looked.value.size });
  const file = await patiently(kit, () => kit.fs.open(place.at(name), 'r'));
  try {
    const stat = await file.stat();
    // Between the two looks the name may have become a link to another file.
    if (stat.dev !== looked.value.dev || stat.ino !== looked.value.ino) return fail('change.stale', { path });
    const bytes = new Uint8Array(stat.size);
    let size = 0;
    for (let got; size < bytes.length && (got = await file.read(bytes, size, bytes.length - size, size)) > 0; ) size += got;
    if (size < bytes.length || (await file.read(new Uint8Array(1), 0, 1, size)) > 0) return fail('change.stale', { path });
    const hash = earlier !== undefined && Buffer.compare(earlier.bytes, bytes) === 0 ? earlier.state.hash : hashOf(bytes);
    return ok({ bytes, stat, state: { kind: 'file', hash, size, mode: stat.mode, blob: false } });
  } finally {
    await file.close();
  }
}

/** A folder as a record holds it: it has no hash and no blob. */
export function folderState(stat: FileStat): FileState {
  return { kind: 'folder', hash: null, size: 0, mode: stat.mode, blob: false };
}

/** The present state at a path by hash, without keeping anything; null when nothing is there. A link counts by its length only. */
export async function stateAt(fs: FsPort, path: string): Promise<FileState | null> {
  const stat = await lstatOrNull(fs, path);
  if (stat === null) return null;
  if (stat.kind === 'folder') return folderState(stat);
  if (stat.kind !== 'file') return { kind: 'file', hash: null, size: stat.size, mode: stat.mode, blob: false };
  const { hash, size } = await hashFile(fs, path);
  return { kind: 'file', hash, size, mode: stat.mode, blob: false };
}

/** The same content: kind and hash; permissions do not count. */
export function sameState(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.hash === b.hash && (a.hash !== null || a.kind === 'folder' || a.size === b.size);
}

