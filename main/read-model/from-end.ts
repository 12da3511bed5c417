import type { PartnerEvent } from '#domain/events/index.ts';
import type { OriginId } from '#domain/ids.ts';
import type { EventLog } from '#main/log/types.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import type { TurnView } from '#projections/conversation/views.ts';

const FIRST_STEP = 256;

/**
 * The newest turns without any index, read backwards from the end of a log with one origin: what is shown
 * while the index is built. Everything that changes a turn comes after it, so a stretch from a turn's
 * start to the end holds all of it.
 */
export async function pageFromEnd(log: EventLog, origin: OriginId, limit: number): Promise<{ readonly turns: readonly TurnView[]; readonly older: boolean }> {
  for (let step = FIRST_STEP; ; step *= 2) {
    const { events, whole } = await lastEvents(log, origin, step);
    const turns = events.reduce((view, e) => conversation.project(view, e), conversation.initial).turns.filter((t) => !t.message.erased);
    if (whole || turns.length > limit) return { turns: turns.slice(-limit), older: turns.length > limit };
  }
}

/** Events from the start of the newest turn on; all when there is none. */
export async function tailFromEnd(log: EventLog, origin: OriginId): Promise<readonly PartnerEvent[]> {
  for (let step = FIRST_STEP; ; step *= 2) {
    const { events, whole } = await lastEvents(log, origin, step);
    let start = events.findLastIndex((e) => e.type === 'MessageSent' && e.run !== null && !e.unknown);
    // A second message of the same run does not start a turn.
    while (start > 0) {
      const earlier = events.slice(0, start).findLastIndex((e) => e.type === 'MessageSent' && e.run === events[start]!.run);
      if (earlier < 0) break;
      start = earlier;
    }
    if (start >= 0) return events.slice(start);
    if (whole) return events;
  }
}

async function lastEvents(log: EventLog, origin: OriginId, count: number): Promise<{ readonly events: PartnerEvent[]; readonly whole: boolean }> {
  const head = log.head().moment[origin] ?? 0;
  const from = Math.max(1, head - count + 1);
  const events: PartnerEvent[] = [];
  for await (const event of log.read(origin, from, head)) events.push(event as PartnerEvent);
  return { events, whole: from === 1 };
}
