import type { PartnerEvent } from '#domain/events/index.ts';
import type { OriginId } from '#domain/ids.ts';
import { includes, mergeOrder, type Moment } from '#domain/moment.ts';
import type { EventLog } from '#main/log/types.ts';
import { projectTurn, startTurn } from '#projections/conversation/turn.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import { turnOf } from '#projections/index-entry.ts';
import type { TurnRecord } from './records.ts';
import type { TurnIndex } from './turn-index.ts';

/** Turns nearer than this to one another in the log are read in one go. */
const NEAR = 200;

/** The events that belong to some turns, per turn in merge order, as of a moment. `turns` ascend. */
export async function eventsOf(log: EventLog, index: TurnIndex, turns: readonly TurnRecord[], asOf?: Moment): Promise<PartnerEvent[][]> {
  const byRun = new Map<string, PartnerEvent[]>(turns.map((t) => [t.run, []]));
  for (const { origin, from, to } of stretches(turns)) {
    for await (const event of log.read(index.origins[origin]!, from, to)) {
      if (event.run !== null && (asOf === undefined || includes(asOf, event))) byRun.get(event.run)?.push(event as PartnerEvent);
    }
  }
  for (const turn of turns) {
    const events = byRun.get(turn.run)!;
    const known = new Set(events.map((e) => e.id));
    for (const touch of await index.touchesOf(turn)) {
      const origin = index.origins[touch.origin]!;
      if (asOf && !includes(asOf, { origin, seq: touch.seq })) continue;
      for await (const event of log.read(origin, touch.seq, touch.seq)) if (!known.has(event.id)) events.push(event as PartnerEvent);
    }
    events.sort(mergeOrder);
  }
  return turns.map((t) => byRun.get(t.run)!);
}

/** Folds one turn from its events; null when its message was erased or is not there. */
export function foldTurn(turn: TurnRecord, events: readonly PartnerEvent[]): TurnView | null {
  let view: TurnView | null = null;
  for (const event of events) {
    if (view === null) {
      if (event.type === 'MessageSent' && event.run === turn.run && !event.unknown) view = startTurn(event);
    } else if (event.type !== 'MessageSent' && turnOf(event) === turn.run) view = projectTurn(view, event);
  }
  return view === null || view.message.erased ? null : view;
}

interface Stretch {
  readonly origin: number;
  readonly from: number;
  to: number;
}

function stretches(turns: readonly TurnRecord[]): Stretch[] {
  const all: Stretch[] = [];
  for (const { origin, seq, last } of turns) {
    const open = all.at(-1);
    if (open?.origin === origin && seq > open.to && seq - open.to <= NEAR) open.to = last;
    else all.push({ origin, from: seq, to: last });
  }
  return all;
}

/** First seq of an origin whose event comes after a place in merge order: a binary search over the log. */
export async function firstAfter(log: EventLog, origin: OriginId, place: { readonly lamport: number; readonly origin: OriginId; readonly seq: number }): Promise<number> {
  if (origin === place.origin) return place.seq;
  let low = 1;
  let high = (log.head().moment[origin] ?? 0) + 1;
  while (low < high) {
    const mid = (low + high) >> 1;
    let later = true;
    for await (const event of log.read(origin, mid, mid)) later = mergeOrder(event, place) > 0;
    if (later) high = mid;
    else low = mid + 1;
  }
  return low;
}
