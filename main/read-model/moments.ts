import type { OriginId } from '#domain/ids.ts';
import { mergeOrder, type Moment } from '#domain/moment.ts';
import type { StoredEvent } from '#domain/events/index.ts';
import type { EventLog } from '#main/log/types.ts';
import { firstAfter } from './fold-turns.ts';

/** The moment of an event: everything that comes no later than it in merge order, whichever installation wrote it. Null when there is no such event. */
export async function momentOf(log: EventLog, origin: OriginId, seq: number): Promise<Moment | null> {
  const head = log.head().moment;
  if (seq > (head[origin] ?? 0)) return null;
  for await (const event of log.read(origin, seq, seq)) {
    const moment: Record<OriginId, number> = { [origin]: seq };
    for (const other of Object.keys(head) as OriginId[]) if (other !== origin) moment[other] = (await firstAfter(log, other, event)) - 1;
    return moment;
  }
  return null;
}

/** The newest events in merge order, oldest first: at most `limit` are read of each origin. */
export async function newestEvents(log: EventLog, limit: number): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (const [origin, last] of Object.entries(log.head().moment) as [OriginId, number][]) {
    for await (const event of log.read(origin, Math.max(1, last - limit + 1), last)) events.push(event);
  }
  return events.sort(mergeOrder).slice(-limit);
}
