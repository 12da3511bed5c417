import type { EventDraft, ModelChoice, Permission, StoredEvent } from '#domain/events/index.ts';
import type { BatchId, CallId, RunId } from '#domain/ids.ts';
import type { Result } from '#domain/result.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import type { Changes, Trash } from '#main/changes/types.ts';
import type { Gate, GateAddress } from '#main/gate/types.ts';
import type { Model, ModelMessage } from '#main/model/types.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';
import type { Random } from '#main/ports/random.ts';
import type { Tool, UndoPort } from '#main/tools/types.ts';

/** What one run needs of the world. The run loop touches nothing else. */
export interface RunDeps {
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly blobs: BlobStore;
  readonly gate: Gate;
  readonly trash: Trash;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The change protocol, journalling into this run's partner. */
  readonly changes: Changes;
  readonly undo: UndoPort;
  readonly limits: RunLimits;
  /** Diagnostics: never content, never keys (WA-LOG-01/02). */
  readonly report: (what: string, cause: unknown) => void;
}

export interface RunLimits {
  /** Model calls in one run. */
  readonly steps: number;
  readonly retries: number;
}

/** The partner's side of a run: facts go out through `commit`, drafts through `draft`. */
export interface RunHost {
  /** Appends and waits until durable (or only enqueues with `durable: false`). */
  commit(drafts: readonly EventDraft[], options?: { readonly durable?: boolean }): Promise<Result<readonly StoredEvent[]>>;
  /** Broadcasts live text; not an event. */
  draft(call: number, offset: number, text: string, thinking: boolean): void;
  /** Resolves when the person decided the batch; `null` when the run was stopped instead. */
  decision(batch: BatchId): Promise<ReadonlyMap<CallId, { readonly decision: 'approve' | 'reject' | 'guide'; readonly guidance?: string }> | null>;
  /** Messages of earlier turns, newest that fit the budget, oldest first (projections/model-context). */
  history(): Promise<readonly ModelMessage[]>;
}

export interface RunStart {
  readonly run: RunId;
  readonly partnerName: string;
  /** The turn's first facts (MessageSent, RunStarted), already durable. */
  readonly opening: readonly StoredEvent[];
  readonly model: ModelChoice;
  readonly permission: Permission;
  readonly language: 'zh' | 'en';
  readonly addresses: readonly GateAddress[];
  /** Files the person pointed at in this conversation. */
  readonly pointedAt: readonly string[];
  readonly port: Model;
  readonly signal: AbortSignal;
}
