import type { PartnerEvent, StoredEvent } from '#domain/events/index.ts';
import type { ChangeId, EventId, OriginId, RunId } from '#domain/ids.ts';
import { PARTNER_FACT_TYPES } from '#domain/partner/facts.ts';

/** What an index of a partner's history needs of one event: where it stands and which turn it concerns. */
export interface IndexEntry {
  readonly id: EventId;
  readonly origin: OriginId;
  readonly seq: number;
  readonly lamport: number;
  readonly run: RunId | null;
  /** A message that starts a turn. */
  readonly starts: boolean;
  /** 1 + position in PARTNER_FACT_TYPES; 0 for anything else. */
  readonly fact: number;
  /** The earlier turn that a revert changes. */
  readonly reverts: { readonly origin: OriginId; readonly seq: number; readonly run: RunId | null } | null;
  /** A change of the turn's own run, under the id that finds it; null for anything else. */
  readonly change: ChangeId | null;
  readonly erases: readonly { readonly origin: OriginId; readonly from: number; readonly to: number }[];
}

/** Types whose data an entry depends on; all others are indexed by their envelope alone. */
export const INDEXED_BY_DATA: ReadonlySet<string> = new Set(['FileChanged', 'FileChangeSettled', 'ContentErased']);

/** What the index needs of an event. */
export function indexEntry(stored: StoredEvent): IndexEntry {
  const event = stored as PartnerEvent;
  const known = !event.unknown;
  return {
    id: event.id, origin: event.origin, seq: event.seq, lamport: event.lamport, run: event.run,
    starts: known && event.type === 'MessageSent' && event.run !== null,
    fact: known ? PARTNER_FACT_TYPES.indexOf(event.type as (typeof PARTNER_FACT_TYPES)[number]) + 1 : 0,
    reverts: known && event.type === 'FileChanged' ? (event.data?.reverts ?? null) : null,
    change: known ? changeOf(event) : null,
    erases: known && event.type === 'ContentErased' ? (event.data?.ranges ?? []) : [],
  };
}

/** What a crash left is found by its settlement, everything else by its outcome. */
function changeOf(event: PartnerEvent): ChangeId | null {
  if (event.type === 'FileChanged') return event.data?.reverts ? null : (event.data?.change ?? null);
  return event.type === 'FileChangeSettled' ? (event.data?.change ?? null) : null;
}

/** The turn that an event folds into: a revert changes the turn it takes back, everything else its own run's. */
export function turnOf(stored: StoredEvent): RunId | null {
  const event = stored as PartnerEvent;
  return !event.unknown && event.type === 'FileChanged' && event.data?.reverts ? event.data.reverts.run : event.run;
}
