import type { StoredEvent } from '#domain/events/index.ts';
import { lift } from '#domain/events/lifts.ts';
import type { OriginId } from '#domain/ids.ts';
import { envelopeOf, parseLine } from '#main/log/line.ts';
import type { EventLog } from '#main/log/types.ts';
import { INDEXED_BY_DATA, indexEntry, type IndexEntry } from '#projections/index-entry.ts';

/**
 * Index entries of a whole log in merge order. With one origin most lines are read by their envelope
 * alone: a rebuild is a matter of seconds for a million events. Lines that rotted are passed over.
 */
export async function* scanAll(log: EventLog): AsyncGenerator<IndexEntry> {
  const origins = Object.keys(log.head().moment) as OriginId[];
  if (origins.length === 1) yield* scanOrigin(log, origins[0]!, 1);
  else for await (const event of log.readMerged()) yield indexEntry(event);
}

export async function* scanOrigin(log: EventLog, origin: OriginId, from: number): AsyncGenerator<IndexEntry> {
  for await (const line of log.readLines(origin, from)) {
    const entry = entryOf(line);
    if (entry) yield entry;
  }
}

function entryOf(line: Uint8Array): IndexEntry | null {
  try {
    const envelope = envelopeOf(line);
    const whole: StoredEvent = INDEXED_BY_DATA.has(envelope.type) ? parseLine(Buffer.from(line).toString('utf8')) : { ...envelope, data: null };
    return indexEntry(lift('partner', whole));
  } catch {
    return null;
  }
}
