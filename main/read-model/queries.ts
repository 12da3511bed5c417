import type { PartnerEvent } from '#domain/events/index.ts';
import type { ChangeId, OriginId, RunId } from '#domain/ids.ts';
import { includes, mergeOrder, type Moment } from '#domain/moment.ts';
import { evolveFacts, NO_FACTS, PARTNER_FACT_TYPES, type PartnerFacts } from '#domain/partner/facts.ts';
import type { EventLog } from '#main/log/types.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import { countWhile } from './fixed-file.ts';
import { eventsOf, firstAfter, foldTurn } from './fold-turns.ts';
import type { TurnRecord } from './records.ts';
import type { TurnIndex } from './turn-index.ts';

export interface PageQuery {
  readonly before?: number;
  readonly limit: number;
  readonly asOf?: Moment;
}

/** The newest turns before a turn, oldest first; erased ones are left out, whatever the moment: erased wins. */
export async function page(log: EventLog, index: TurnIndex, { before, limit, asOf }: PageQuery): Promise<{ readonly turns: readonly TurnView[]; readonly older: boolean }> {
  const { turns: table } = index;
  const reach = asOf ? await lamportAt(log, asOf) : Infinity;
  const end = Math.min(before ?? Infinity, reach + 1);
  let at = end === Infinity ? table.count : await countWhile(table.count, async (i) => (await index.turn(i)).lamport < end);
  const views: TurnView[] = [];
  const next = async (): Promise<TurnRecord | null> => {
    while (at > 0) {
      const turn = await index.turn(--at);
      const origin = index.origins[turn.origin]!;
      const erasedFrom = index.erased.startOf(origin, turn.seq);
      // A clear takes thousands at once: with one origin they are stepped over in one go.
      if (erasedFrom !== null && index.origins.length === 1) at = await countWhile(at, async (i) => (await index.turn(i)).seq < erasedFrom);
      else if (erasedFrom === null && (!asOf || includes(asOf, { origin, seq: turn.seq }))) return turn;
    }
    return null;
  };
  while (views.length < limit) {
    const chosen: TurnRecord[] = [];
    for (let turn = chosen.length < limit - views.length ? await next() : null; turn; turn = chosen.length < limit - views.length ? await next() : null) chosen.unshift(turn);
    if (chosen.length === 0) break;
    const events = await eventsOf(log, index, chosen, asOf);
    views.unshift(...chosen.flatMap((turn, i) => foldTurn(turn, events[i]!) ?? []));
  }
  return { turns: views, older: (await next()) !== null };
}

/** The largest lamport at or before a moment. */
async function lamportAt(log: EventLog, moment: Moment): Promise<number> {
  let largest = 0;
  const head = log.head().moment;
  for (const [origin, seq] of Object.entries(moment) as [OriginId, number][]) {
    const last = Math.min(seq, head[origin] ?? 0);
    if (last > 0) for await (const event of log.read(origin, last, last)) largest = Math.max(largest, event.lamport);
  }
  return largest;
}

/** The newest fact of each type decides: at most one event per type is read. */
export async function facts(log: EventLog, index: TurnIndex, asOf?: Moment): Promise<PartnerFacts> {
  const reach = asOf ? await lamportAt(log, asOf) : Infinity;
  const count = asOf ? await countWhile(index.facts.count, async (i) => (await index.fact(i)).lamport <= reach) : index.facts.count;
  if (count === 0) return NO_FACTS;
  const { latest } = await index.fact(count - 1);
  const events: PartnerEvent[] = [];
  for (const type of PARTNER_FACT_TYPES.keys()) {
    for (let at = latest[type]!; at > 0; at = at > 1 ? (await index.fact(at - 2)).latest[type]! : 0) {
      const fact = await index.fact(at - 1);
      const origin = index.origins[fact.origin]!;
      // Of another origin and after the moment: the one before it counts.
      if (asOf && !includes(asOf, { origin, seq: fact.seq })) continue;
      for await (const event of log.read(origin, fact.seq, fact.seq)) events.push(event as PartnerEvent);
      break;
    }
  }
  return events.sort(mergeOrder).reduce(evolveFacts, NO_FACTS);
}

/** The turn of a run, or null. */
export async function turn(log: EventLog, index: TurnIndex, run: RunId): Promise<TurnView | null> {
  const at = await index.find(run);
  return at === null ? null : turnAt(log, index, at);
}

/** The turn in which a change was made, by the index of ids, or null. */
export async function turnOfChange(log: EventLog, index: TurnIndex, change: ChangeId): Promise<TurnView | null> {
  const at = await index.changes.find(change);
  return at === null ? null : turnAt(log, index, at);
}

/** The turn with a number (oldest is 0), folded from its events; null when it was erased. */
export async function turnAt(log: EventLog, index: TurnIndex, at: number): Promise<TurnView | null> {
  const record = await index.turn(at);
  if (index.erased.startOf(index.origins[record.origin]!, record.seq) !== null) return null;
  const [events] = await eventsOf(log, index, [record]);
  return foldTurn(record, events!);
}

/** Events in merge order from the start of the newest turn on. */
export async function tail(log: EventLog, index: TurnIndex): Promise<readonly PartnerEvent[]> {
  const newest = index.turns.count > 0 ? await index.turn(index.turns.count - 1) : null;
  const events: PartnerEvent[] = [];
  for (const origin of Object.keys(log.head().moment) as OriginId[]) {
    const from = newest ? await firstAfter(log, origin, { lamport: newest.lamport, origin: index.origins[newest.origin]!, seq: newest.seq }) : 1;
    for await (const event of log.read(origin, from)) events.push(event as PartnerEvent);
  }
  return events.sort(mergeOrder);
}

/** Raw events of one turn's run. */
export async function eventsOfTurn(log: EventLog, index: TurnIndex, at: number): Promise<readonly PartnerEvent[]> {
  const record = await index.turn(at);
  const [events] = await eventsOf(log, index, [record]);
  return events!.filter((e) => e.run === record.run);
}
