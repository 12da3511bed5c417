import { dirname, join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** The layout of the data folder that this version writes. Raised only when an older version must keep its hands off. */
export const DATA_FORMAT = 1;

export interface Format {
  readonly format: number;
  /** The folder had no format yet: it is new. */
  readonly fresh: boolean;
}

/**
 * Reads `format.json` of a data folder before anything else touches it. A folder of a newer version is
 * refused and nothing is written (WB-COMPOSER-012-AC4, design §3); a folder without one gets it.
 * Codes: data.newer {detected, supported}, data.unreadable, data.io {errno}.
 */
export async function checkFormat(fs: FsPort, dataDir: string): Promise<Result<Format>> {
  const path = join(dataDir, 'format.json');
  try {
    const found = await readFormat(fs, path);
    if (found === 'unreadable') return fail('data.unreadable', { path });
    if (found !== null && found > DATA_FORMAT) return fail('data.newer', { detected: found, supported: DATA_FORMAT });
    if (found !== null) return ok({ format: found, fresh: false });
    await fs.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeFileAtomic(fs, path, new TextEncoder().encode(JSON.stringify({ format: DATA_FORMAT }) + '\n'), 0o600);
    // The folder's own name: best effort, its parent may be one that we cannot open.
    await fs.syncDir(dirname(dataDir)).catch(() => undefined);
    return ok({ format: DATA_FORMAT, fresh: true });
  } catch (cause) {
    return fail('data.io', { errno: errnoOf(cause) });
  }
}

async function readFormat(fs: FsPort, path: string): Promise<number | null | 'unreadable'> {
  let text: string;
  try {
    text = new TextDecoder().decode(await fs.readFile(path));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null;
    throw cause;
  }
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return Number.isSafeInteger(format) && (format as number) > 0 ? (format as number) : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
