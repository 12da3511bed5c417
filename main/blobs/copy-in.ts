import type { Hash } from '#domain/ids.ts';
import { together } from '#main/fs/together.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { hashOpen } from './hash-open.ts';

/**
 * Makes a private, durable copy of a file at `to` (which does not exist) and says what it holds. The
 * kernel copies first (on disks that share extents this takes no room) and the copy is hashed: the source
 * may change meanwhile. Throws errno errors.
 */
export async function copyIn(fs: FsPort, from: string, to: string): Promise<{ readonly hash: Hash; readonly size: number }> {
  await fs.copyFile(from, to);
  // The copy has the source's mode, and that may be read-only.
  await fs.chmod(to, 0o600);
  const file = await fs.open(to, 'r+');
  try {
    // The copy is whole: the disk works on its flush while the processor hashes it.
    const [sum] = await together(hashOpen(file), file.datasync());
    return sum;
  } finally {
    await file.close();
  }
}
