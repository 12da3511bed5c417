import type { Hash } from '#domain/ids.ts';
import type { EventLog } from '#main/log/types.ts';
import { envelopeOf } from '#main/log/line.ts';
import type { Workbench } from './workbench.ts';

const ERASED = Buffer.from('},"d":null,"x":');

/**
 * Frees blobs that no event needs any more (design §4): marks from the `refs` in the log lines
 * themselves, of every origin and of types this version does not know. If any partner is damaged or
 * busy, nothing is swept; what is swept lies in `.swept/` for 30 days and comes back when asked for.
 * Returns null when it was not the time for it.
 */
export async function collectBlobs(workbench: Workbench): Promise<{ readonly swept: number; readonly bytes: number } | null> {
  const { partners, app, blobs } = workbench;
  const calm = () => app.log.mode === 'open' && partners.allOpen() && partners.all().every((p) => p.log.mode === 'open' && p.log.findings.length === 0 && p.summary().activity === 'idle');
  if (!calm()) return null;
  const logs = () => [app.log, ...partners.all().map((p) => p.log)];
  const heads = () => logs().map((log) => JSON.stringify(log.head().moment)).join();
  const before = heads();
  const needed = new Set<Hash>();
  for (const log of logs()) await mark(log, needed);
  // A run or a revert that came meanwhile may have put blobs that the marks do not know: next time then.
  if (!calm() || heads() !== before) return null;
  return blobs.sweep((hash) => needed.has(hash));
}

async function mark(log: EventLog, needed: Set<Hash>): Promise<void> {
  for (const [origin, seq] of Object.entries(log.head().moment)) {
    for await (const line of log.readLines(origin as typeof log.origin, 1, seq)) {
      const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
      if (bytes.includes(ERASED)) continue;
      for (const hash of envelopeOf(bytes).refs) needed.add(hash);
    }
  }
}
