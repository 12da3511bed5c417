import { dirname, join, basename } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { FsPort } from '#main/ports/fs.ts';

/** Prefix of temp files in the product's own folders; whatever carries it at start is a leftover. */
export const TEMP_PREFIX = '.tmp-';

/**
 * Replaces one of the product's own files whole: temp in the same folder → fsync → rename → fsync
 * folder. After a crash the file has the old bytes or the new ones. Not for the person's files: those
 * go through main/changes.
 */
export async function writeFileAtomic(fs: FsPort, path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const dir = dirname(path);
  await fs.mkdir(dir, { recursive: true, mode: 0o700 });
  const temp = join(dir, `${TEMP_PREFIX}${basename(path)}-${randomBytes(6).toString('hex')}`);
  const file = await fs.open(temp, 'wx', mode);
  try {
    await file.write(bytes, 0);
    await file.sync();
  } catch (cause) {
    await file.close().catch(() => undefined);
    await fs.unlink(temp).catch(() => undefined);
    throw cause;
  }
  await file.close();
  try {
    await fs.rename(temp, path);
  } catch (cause) {
    await fs.unlink(temp).catch(() => undefined);
    throw cause;
  }
  await fs.syncDir(dir);
}
