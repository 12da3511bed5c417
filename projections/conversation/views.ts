import type { Attachment, ChangeOp, FileState, ModelChoice, Permission, Plan, Shown } from '#domain/events/index.ts';
import type { BatchId, CallId, ChangeId, Hash, OriginId, RunId } from '#domain/ids.ts';

/** One turn: what the person said, what the run did, the answer, and what it changed. */
export interface TurnView {
  readonly run: RunId;
  readonly origin: OriginId;
  /** Where the turn begins in its origin; names it in read-model and revert targets. */
  readonly seq: number;
  readonly lamport: number;
  readonly at: string;
  readonly message: MessageView;
  readonly model: ModelChoice | null;
  readonly permission: Permission;
  readonly status: TurnStatus;
  readonly process: readonly ProcessEntry[];
  readonly answer: AnswerView | null;
  /** A checkpointed draft that survived a stop or a crash; live drafts come over the draft topic. */
  readonly draft: string;
  /** The batch that waits for the person, if any. */
  readonly waiting: { readonly batch: BatchId; readonly plans: readonly Plan[] } | null;
  readonly records: readonly ChangeRecord[];
  readonly failure: { readonly code: string; readonly status?: number; readonly detail?: string } | null;
  readonly usage: { readonly prompt: number; readonly completion: number };
  readonly endedAt: string | null;
}

/** `waiting`: an approval is open. `interrupted`: the process died; the next message continues. */
export type TurnStatus = 'running' | 'waiting' | 'completed' | 'stopped' | 'failed' | 'limit' | 'interrupted';

export interface MessageView {
  readonly text: string;
  /** The rest of a very long text lies in a blob. */
  readonly more: { readonly blob: Hash; readonly chars: number } | null;
  readonly attachments: readonly Attachment[];
  readonly erased: boolean;
}

export interface AnswerView {
  readonly text: string;
  readonly more: { readonly blob: Hash; readonly chars: number } | null;
  readonly suggestions: readonly string[];
}

export type ProcessEntry =
  | { readonly kind: 'thought'; readonly id: string; readonly text: string }
  /** A stretch of tool calls between two thoughts (WB-COMPOSER-014-AC5). */
  | { readonly kind: 'activity'; readonly id: string; readonly steps: readonly StepView[] }
  /** One line per run, updated in place. */
  | { readonly kind: 'retry'; readonly id: string; readonly attempt: number; readonly of: number; readonly state: 'running' | 'exhausted'; readonly code: string };

export interface StepView {
  readonly call: CallId;
  readonly shown: Shown;
  readonly state: 'running' | 'waiting' | 'ok' | 'failed' | 'refused' | 'rejected' | 'cancelled';
  readonly code: string | null;
  readonly decision: { readonly decision: 'approve' | 'reject' | 'guide'; readonly guidance: string | null } | null;
}

/** The net change of one run to one logical file, following renames (design §4). */
export interface ChangeRecord {
  /** The first raw change it nets. */
  readonly record: ChangeId;
  readonly run: RunId | null;
  readonly op: 'created' | 'changed' | 'deleted' | 'moved';
  readonly kind: 'file' | 'folder';
  /** Where the file was before the run, and where it is after it. Equal unless moved. */
  readonly from: string;
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** Absent where lines mean nothing (folders, binary files). */
  readonly added: number | null;
  readonly removed: number | null;
  readonly state: 'live' | 'reverted' | 'unsettled' | 'unknown';
  /** Bytes that somebody else saved and that this change or its revert replaced. */
  readonly kept: readonly KeptCopy[];
  /** Where the trash put a deleted file. */
  readonly trashed: { readonly file: string; readonly info: string | null } | null;
  /** The raw changes, oldest first: what a revert replays backwards. */
  readonly steps: readonly RecordStep[];
  /** The raw changes of the revert that holds now, oldest first: what undoing it replays backwards. */
  readonly reverts: readonly RecordStep[];
}

/** A save that was overtaken or replaced, and is kept for the person. */
export interface KeptCopy {
  /** When it was kept, ISO 8601; null where nothing says so. */
  readonly at: string | null;
  readonly state: FileState;
  /** They stand in their place again. */
  readonly back: boolean;
}

export interface RecordStep {
  readonly change: ChangeId;
  readonly op: ChangeOp;
  readonly path: string;
  readonly to: string | null;
  readonly before: FileState | null;
  readonly after: FileState | null;
  readonly trashed: { readonly file: string; readonly info: string | null } | null;
}
