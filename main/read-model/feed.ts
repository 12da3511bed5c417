import type { StoredEvent } from '#domain/events/index.ts';
import type { OriginId } from '#domain/ids.ts';
import type { EventLog } from '#main/log/types.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { indexEntry } from '#projections/index-entry.ts';
import { IndexDamage } from './fixed-file.ts';
import { scanAll, scanOrigin } from './scan.ts';
import { TurnIndex } from './turn-index.ts';

/** Records that may wait in memory before they are written. */
const FLUSH_AT = 512;
/** Records between two writes of a rebuild. */
const REBUILD_FLUSH = 8192;

/** Loads the index if it fits the log and brings it up to the log's head; throws when it has to be built again. */
export async function loadIndex(fs: FsPort, dir: string, log: EventLog): Promise<TurnIndex> {
  const index = await TurnIndex.load(fs, dir);
  try {
    await fits(index, log);
    await catchUp(index, log);
    return index;
  } catch (cause) {
    await index.close();
    throw cause;
  }
}

/** The covered events are the log's own, and nothing but this installation's stretch grew since. */
async function fits(index: TurnIndex, log: EventLog): Promise<void> {
  const { moment } = log.head();
  for (const [origin, seq] of Object.entries(moment) as [OriginId, number][]) {
    const cut = index.cuts.get(origin);
    if (origin !== log.origin && cut?.seq !== seq) throw new IndexDamage('another history arrived');
  }
  for (const [origin, cut] of index.cuts) {
    if (cut.seq > (moment[origin] ?? 0)) throw new IndexDamage('it knows more than the log');
    for await (const event of log.read(origin, cut.seq, cut.seq)) if (event.id !== cut.id) throw new IndexDamage('it is of another log');
  }
}

/** Reads what this installation wrote since the index's cut. Throws IndexDamage and the disk's errors. */
export async function catchUp(index: TurnIndex, log: EventLog): Promise<void> {
  const covered = index.cuts.get(log.origin)?.seq ?? 0;
  if (covered >= (log.head().moment[log.origin] ?? 0)) return;
  for await (const entry of scanOrigin(log, log.origin, covered + 1)) await index.apply(entry);
  await index.flush().catch(ignoreDisk);
}

export async function buildIndex(fs: FsPort, dir: string, log: EventLog, stop: () => boolean): Promise<TurnIndex> {
  const index = await TurnIndex.create(fs, dir);
  try {
    for await (const entry of scanAll(log)) {
      if (stop()) break;
      await index.apply(entry);
      if (index.unwritten >= REBUILD_FLUSH) await index.flush().catch(ignoreDisk);
    }
    if (!stop()) await index.flush().catch(ignoreDisk);
    return index;
  } catch (cause) {
    await index.close();
    throw cause;
  }
}

/** Takes acknowledged events; whatever was not noted in between is read from the log. */
export async function take(index: TurnIndex, log: EventLog, events: readonly StoredEvent[]): Promise<void> {
  for (const event of events) {
    if (event.seq > (index.cuts.get(event.origin)?.seq ?? 0) + 1) await catchUp(index, log);
    await index.apply(indexEntry(event));
  }
  if (index.unwritten >= FLUSH_AT) await index.flush().catch(ignoreDisk);
}

/** After a poisoning: back to what the log still holds. */
export async function fallBack(index: TurnIndex, log: EventLog, seq: number): Promise<void> {
  let cut = null;
  for await (const event of log.read(log.origin, seq, seq)) cut = { seq, id: event.id };
  await index.rollBack(log.origin, cut);
  await index.flush().catch(ignoreDisk);
}

/** A full disk costs memory, not answers: what is not written waits. Damage is not the disk's word and goes on. */
function ignoreDisk(cause: unknown): void {
  if (cause instanceof IndexDamage) throw cause;
}
