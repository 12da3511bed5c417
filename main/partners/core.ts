import type { EventDraft, StoredEvent } from '#domain/events/index.ts';
import type { BatchId, CallId, PartnerId, RunId } from '#domain/ids.ts';
import type { PartnerState } from '#domain/partner/state.ts';
import type { Failure, Result } from '#domain/result.ts';
import type { Changes } from '#main/changes/types.ts';
import type { EventLog } from '#main/log/types.ts';
import type { History } from './history.ts';
import type { PartnerDeps } from './types.ts';

/** A person's answer to a batch, per call. */
export type Answer = ReadonlyMap<CallId, { readonly decision: 'approve' | 'reject' | 'guide'; readonly guidance?: string }>;

/** An open partner as its runs, reverts and recovery see it. */
export interface PartnerCore {
  readonly id: PartnerId;
  readonly deps: PartnerDeps;
  readonly log: EventLog;
  readonly history: History;
  readonly changes: Changes;
  readonly state: PartnerState;
  /** Appends facts that need no decision (a run's own, the host's). Publishes after acknowledgement. */
  commit(drafts: readonly EventDraft[], options?: { readonly durable?: boolean }): Promise<Result<readonly StoredEvent[], Failure>>;
  /** A run's side of an approval: resolves with the person's answer, or null when the run is stopped. */
  decision(batch: BatchId): Promise<Answer | null>;
  draft(run: RunId, call: number, offset: number, text: string, thinking: boolean): void;
  /** Marks a run whose process died, or whose log refused its end. */
  endOrphan(): Promise<Result<unknown, Failure>>;
  /** Ends a run that broke off; what the log does not take now is written before the next message. */
  endBroken(ending: EventDraft): Promise<void>;
}
