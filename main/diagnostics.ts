import { join } from 'node:path';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * The diagnostic log: what went wrong and where, never content, paths of the person's files, or keys
 * (WA-LOG-01/02). One file and its predecessor, 1 MiB each. Failing to write it is the one failure that
 * is swallowed: there is nowhere left to say it.
 */
export interface Diagnostics {
  report(what: string, cause: unknown): void;
  /** Resolves when everything reported so far is written. */
  settled(): Promise<void>;
}

export function createDiagnostics(fs: FsPort, clock: Clock, dir: string): Diagnostics {
  const file = join(dir, 'diagnostics.log');
  let queue: Promise<void> = Promise.resolve();
  async function write(line: string): Promise<void> {
    const size = await fs.lstat(file).then((s) => s.size, () => 0);
    if (size > MAX_BYTES) await fs.rename(file, file + '.1');
    const open = await fs.open(file, 'a', 0o600);
    try {
      await open.write(new TextEncoder().encode(line), null);
    } finally {
      await open.close();
    }
  }
  return {
    report(what, cause) {
      const stack = cause instanceof Error ? `${cause.name}: ${redact(cause.message)}\n${(cause.stack ?? '').split('\n').slice(1, 8).join('\n')}` : redact(String(cause));
      const line = `${new Date(clock.now()).toISOString()} ${what} ${stack}\n`;
      queue = queue.then(() => write(line)).catch(() => undefined);
    },
    settled: () => queue,
  };
}

/** Takes out what could be a key, a token, or a path of the person. */
function redact(text: string): string {
  return text
    .replace(/\b(sk|key|token|Bearer)[-_ =:]+[A-Za-z0-9._-]{6,}/gi, '$1-…')
    .replace(/(?:[A-Za-z]:\\|\/)(?:[^\s'":]+[\\/])+[^\s'":]*/g, (path) => '…' + (path.match(/\.[A-Za-z0-9]{1,8}$/)?.[0] ?? ''))
    .slice(0, 2000);
}
