import type { PartnerEvent } from '#domain/events/index.ts';
import type { ChangeId, RunId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import type { PartnerFacts } from '#domain/partner/facts.ts';
import type { TurnView } from '#projections/conversation/views.ts';

/** Reads a partner's past by the page: its cost never depends on the length of the history (design §3, growth law). */
export interface History {
  /** The newest `limit` turns before a turn (by its lamport, exclusive), oldest first, as of a moment. */
  page(query: { readonly before?: number; readonly limit: number; readonly asOf?: Moment }): Promise<{ readonly turns: readonly TurnView[]; readonly older: boolean }>;
  facts(asOf?: Moment): Promise<PartnerFacts>;
  /** One turn by the run it belongs to, searched from the end. */
  turn(run: RunId): Promise<TurnView | null>;
  /** The turn whose run made a change, by the change's id. One that a crash left open and nobody settled is not found. */
  turnOfChange(change: ChangeId): Promise<TurnView | null>;
  /** Events from the start of the newest turn to the end (all events when there is no turn). */
  tail(): Promise<readonly PartnerEvent[]>;
  /** Raw events of the newest turns, newest turn first; the consumer stops when it has enough. */
  turnEvents(): AsyncIterable<readonly PartnerEvent[]>;
  /** The turns that changed something, newest change first; the consumer stops when it has enough. */
  changedTurns(): AsyncIterable<TurnView>;
  /** Called after acknowledgement, off the critical path. */
  note(events: readonly PartnerEvent[]): void;
  close(): Promise<void>;
}
