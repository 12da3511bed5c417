import type { Hash } from '#domain/ids.ts';
import type { EventLog } from '#main/log/types.ts';
import { checkLine, envelopeOf, FIRST_PREV } from '#main/log/line.ts';
import type { Workbench } from './workbench.ts';

/**
 * Frees blobs that no event needs any more (design §4): marks from the `refs` in the log lines
 * themselves, each checked, of every origin and of types this version does not know. If any partner is damaged or
 * busy, nothing is swept; what is swept lies in `.swept/` for 30 days and comes back when asked for.
 * Returns null when it was not the time for it.
 */
export async function collectBlobs(workbench: Workbench): Promise<{ readonly swept: number; readonly bytes: number } | null> {
  const { partners, app, blobs } = workbench;
  const calm = () => !workbench.closing && app.log.mode === 'open' && partners.allOpen() && partners.all().every((p) => p.log.mode === 'open' && p.log.findings.length === 0 && p.summary().activity === 'idle');
  if (!calm()) return null;
  const logs = () => [app.log, ...partners.all().map((p) => p.log)];
  const heads = () => logs().map((log) => JSON.stringify(log.head().moment)).join();
  const before = heads();
  const needed = new Set<Hash>();
  for (const log of logs()) if (!(await mark(log, needed, () => workbench.closing))) return null;
  // A run or a revert that came meanwhile may have put blobs that the marks do not know: next time then.
  if (!calm() || heads() !== before) return null;
  return blobs.sweep((hash) => needed.has(hash));
}

/** False when there is no time for it, or the log is not whole: rot in lines that opening does not read may hide or misspell what is needed. */
async function mark(log: EventLog, needed: Set<Hash>, stop: () => boolean): Promise<boolean> {
  for (const [origin, seq] of Object.entries(log.head().moment)) {
    let prev: string = FIRST_PREV;
    let lines = 0;
    for await (const line of log.readLines(origin as typeof log.origin, 1, seq)) {
      const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
      const check = checkLine(bytes, prev);
      if (!check.ok || stop()) return false;
      prev = check.hash;
      lines++;
      if (check.erased) continue;
      for (const hash of envelopeOf(bytes).refs) needed.add(hash);
    }
    if (lines !== seq) return false;
  }
  return true;
}
