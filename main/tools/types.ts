import type { Plan, Risk, Shown } from '#domain/events/index.ts';
import type { CallId, Hash, RunId } from '#domain/ids.ts';
import type { Result } from '#domain/result.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import type { Changes, Trash } from '#main/changes/types.ts';
import type { Gate, GateContext } from '#main/gate/types.ts';
import type { RevertReport } from '#main/api/views.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';

/**
 * One tool, one file. `prepare` checks the arguments and asks the gate, touching nothing; it says
 * whether the call may run, must be asked for (with a plan for the card) or is refused. `run` executes
 * exactly what was prepared, re-checking path and hash. Models and the local assistant use the same.
 */
export interface Tool<Args = unknown> {
  readonly name: string;
  /** For the model, in English. */
  readonly description: string;
  /** JSON Schema of the arguments (draft 2020-12 subset that OpenAI-compatible providers accept). */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Ours to assign, also for tools from outside. */
  readonly risk: Risk;
  readonly changes: boolean;
  /** Checks the model's arguments. */
  parse(args: unknown): Result<Args>;
  /** The words on screen for this call: a catalogue key and its parameters. */
  shown(args: Args): Shown;
  prepare(args: Args, context: ToolContext): Promise<Prepared>;
}

export type Prepared =
  | { readonly go: 'do'; readonly run: (signal: AbortSignal) => Promise<ToolOutcome> }
  | { readonly go: 'ask'; readonly plan: Plan; readonly run: (signal: AbortSignal) => Promise<ToolOutcome> }
  | { readonly go: 'refuse'; readonly outcome: ToolOutcome };

/** What goes back to the model. `text` is plain English or the file's own text; `code` names a refusal or failure. */
export interface ToolOutcome {
  readonly outcome: 'ok' | 'failed' | 'refused' | 'cancelled';
  readonly text: string;
  readonly code?: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly images?: readonly Hash[];
  /** Structured result for the local assistant (lists, hits, text). */
  readonly data?: unknown;
}

export interface ToolContext {
  readonly run: RunId;
  readonly call: CallId;
  readonly gate: Gate;
  readonly gateContext: GateContext;
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly blobs: BlobStore;
  readonly changes: Changes;
  readonly trash: Trash;
  /** What this run read or wrote last, per real path: a change of a file that moved on since is stale (case 29). */
  readonly seen: Map<string, Hash | null>;
  /** Takes the newest run's changes back; given by the partner (tool `undo_changes`). */
  readonly undo: UndoPort;
  /** First `before` hash of this run per real path, for net counts; kept by the change protocol's caller. */
  readonly baselines: Map<string, Hash | null>;
}

/** What can be taken back right now, and doing it. */
export interface UndoPort {
  /** Net records of the newest earlier run that still has something to take back, newest first; null: there is none. */
  newest(): Promise<{ readonly run: RunId; readonly records: readonly ChangeRecord[] } | null>;
  revert(run: RunId): Promise<Result<RevertReport>>;
}
