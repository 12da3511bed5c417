import { join } from 'node:path';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import type { FsPort } from '#main/ports/fs.ts';

/** Who has the data folder open. A label for people and for the command line; the lock itself is elsewhere. */
export interface Owner {
  readonly pid: number;
  /** ISO 8601, when the owner took the lock. */
  readonly since: string;
  /** Last sign of life, ISO 8601. */
  readonly beat: string;
  /** Where the owner answers (a local socket or a URL without secrets); null until it listens. */
  readonly endpoint: string | null;
}

export function ownerPath(dataDir: string): string {
  return join(dataDir, 'run', 'owner.json');
}

/** What `owner.json` says; null when it is missing or makes no sense. */
export async function readOwner(fs: FsPort, dataDir: string): Promise<Owner | null> {
  try {
    const said = JSON.parse(new TextDecoder().decode(await fs.readFile(ownerPath(dataDir)))) as Partial<Owner>;
    if (!Number.isSafeInteger(said.pid)) return null;
    return { pid: said.pid!, since: String(said.since ?? ''), beat: String(said.beat ?? ''), endpoint: typeof said.endpoint === 'string' ? said.endpoint : null };
  } catch {
    return null;
  }
}

/** Mode 0600: other users of the machine need not know where we answer. */
export async function writeOwner(fs: FsPort, dataDir: string, owner: Owner): Promise<void> {
  await writeFileAtomic(fs, ownerPath(dataDir), new TextEncoder().encode(JSON.stringify(owner) + '\n'), 0o600);
}

export async function removeOwner(fs: FsPort, dataDir: string): Promise<void> {
  await fs.unlink(ownerPath(dataDir)).catch(() => undefined);
}
