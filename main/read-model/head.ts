import { join } from 'node:path';
import type { EventId, OriginId } from '#domain/ids.ts';
import { sha256 } from '#main/log/line.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** Raised when records or what they mean change: older files are built again. */
const VERSION = 2;

/** How much of the index files counts, and up to which event of each origin. */
export interface IndexHead {
  readonly turns: number;
  readonly facts: number;
  readonly touches: number;
  readonly changes: number;
  readonly buckets: number;
  readonly origins: readonly { readonly origin: OriginId; readonly seq: number; readonly id: EventId }[];
  readonly erased: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

/** Null when it is missing, of another version, or not what was written. */
export async function readHead(fs: FsPort, dir: string): Promise<IndexHead | null> {
  try {
    const { version, sum, head } = JSON.parse(new TextDecoder().decode(await fs.readFile(join(dir, 'head.json')))) as { version: number; sum: string; head: IndexHead };
    return version === VERSION && sum === sha256(JSON.stringify(head)) ? head : null;
  } catch {
    return null;
  }
}

/** Replaced whole by a rename, without a flush: a cache needs none. */
export async function writeHead(fs: FsPort, dir: string, head: IndexHead): Promise<void> {
  const temp = join(dir, 'head.tmp');
  const file = await fs.open(temp, 'w', 0o600);
  try {
    await file.write(new TextEncoder().encode(JSON.stringify({ version: VERSION, sum: sha256(JSON.stringify(head)), head })), 0);
  } finally {
    await file.close();
  }
  await fs.rename(temp, join(dir, 'head.json'));
}

/** Removes what makes the index whole, so that a kill from here on leads to a new one. */
export async function removeHead(fs: FsPort, dir: string): Promise<void> {
  await fs.unlink(join(dir, 'head.json')).catch((cause: unknown) => {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
  });
}
