import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { Failure, Result } from '#domain/result.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { foldHistory } from '#main/partners/fold-history.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { createHandlers } from '#main/workbench/handlers.ts';
import { Workbench } from '#main/workbench/workbench.ts';
import type { Server } from '#main/server/session.ts';
import { systemLanguage } from './data-dir.ts';
import type { Host } from './host.ts';

/** Opens the product with the real disk, clock and randomness: the part that every host's composition root shares. */
export async function openRealWorkbench(options: { readonly dataDir: string; readonly rootDir: string; readonly version: string; readonly host: (fs: ReturnType<typeof createNodeFs>) => Host }): Promise<Result<Server, Failure>> {
  const fs = createNodeFs();
  const platform = process.platform === 'win32' || process.platform === 'darwin' ? process.platform : 'linux';
  const opened = await Workbench.open({
    dataDir: options.dataDir, host: options.host(fs), fs, clock: realClock, random: realRandom, platform, home: homedir(), version: options.version,
    machine: createHash('sha256').update(hostname()).digest('hex').slice(0, 16), locale: systemLanguage(process.env), sampleDir: join(options.rootDir, 'fixtures', 'sample'),
    openHistory: ({ log }) => foldHistory(log),
  });
  return opened.ok ? { ok: true, value: { workbench: opened.value, handlers: createHandlers(opened.value) } } : opened;
}
