import type { Change, ChangeOp, FileState, RevertTarget } from '#domain/events/index.ts';
import type { AddressId, CallId, ChangeId, Hash, RunId } from '#domain/ids.ts';
import type { Result } from '#domain/result.ts';

/**
 * The only way to change a person's file (design §4). One exported function per verb, all through one
 * protocol: resolve → handle of the parent → read and hash → before-blob → FileChangePlanned → temp +
 * fsync → re-check → keep name → swap → look at the keep name → fsync folder → FileChanged.
 */
export interface Changes {
  /** Reads what is there now, without keeping anything. `null` when nothing is. */
  inspect(path: string): Promise<Result<FileState | null>>;
  apply(request: ChangeRequest): Promise<Result<AppliedChange>>;
  /** Removes what a crash left beside the person's files; never a name that is not ours. Kept copies are reported. */
  sweepLeftovers(folders: readonly string[], planned?: readonly Change[]): Promise<{ readonly removed: number; readonly kept: readonly { readonly path: string; readonly state: FileState; readonly change: ChangeId }[]; readonly left: readonly string[] }>;
  /** Settles intents that a crash left open, by comparing hashes. */
  settle(intents: readonly Change[]): Promise<readonly { readonly change: ChangeId; readonly outcome: 'applied' | 'notApplied' | 'unknown' }[]>;
}

export interface ChangeRequest {
  readonly run: RunId | null;
  readonly call: CallId | null;
  readonly op: ChangeOp;
  /** Absolute, already resolved by the gate (no link in it but those that policy allowed). */
  readonly path: string;
  /** For copy, move, rename. Must not exist (except a case-only rename of the same file). */
  readonly to?: string;
  readonly address: AddressId | null;
  /** New content for create, write, edit, replaceAll, revert-to-content. */
  readonly content?: Uint8Array;
  /** For a revert: the blob to bring back, or null to remove what was created (to the trash). */
  readonly restore?: FileState | null;
  /** For undoing a trash: where the trash put it. */
  readonly untrash?: { readonly file: string; readonly info: string | null };
  /**
   * The state that was approved or last read (null: absent). Refused as `change.stale` when the disk
   * differs, unless `force`, which keeps the present bytes as a blob first.
   */
  readonly expected: FileState | null;
  readonly force?: boolean;
  readonly reverts?: RevertTarget;
  /** First `before` of this run for this file, for net counts. Undefined: this is the first change. */
  readonly baseline?: Hash | null;
}

export interface AppliedChange {
  readonly change: Change & { readonly added?: number; readonly removed?: number };
  /** Somebody saved in the gap: the bytes are kept and must be offered to the person. */
  readonly overtaken?: FileState;
  /** What a forced change replaced although it was not what was expected. */
  readonly kept?: FileState;
  /** Where the trash put it; absent where the system does not say. */
  readonly trashed?: { readonly file: string; readonly info: string | null };
}

/** Where the protocol records its facts. The partner runtime implements it on the partner's log; resolves when durable. */
export interface ChangeJournal {
  planned(change: Change, run: RunId | null): Promise<Result<void>>;
  changed(done: Change & ChangedExtra, run: RunId | null): Promise<Result<void>>;
  failed(change: ChangeId, code: string, detail: string | undefined, run: RunId | null): Promise<Result<void>>;
}

export interface ChangedExtra {
  readonly added?: number;
  readonly removed?: number;
  readonly overtaken?: FileState;
  readonly kept?: FileState;
  readonly trashed?: { readonly file: string; readonly info: string | null };
}

/** The system's trash. Linux: freedesktop spec in the web host; Electron: shell.trashItem. */
export interface Trash {
  /** Returns where it went when that is known (freedesktop), so that it can be restored exactly. */
  put(path: string): Promise<Result<{ readonly file: string; readonly info: string | null } | null>>;
  restore(item: { readonly file: string; readonly info: string | null }, to: string): Promise<Result<void>>;
}
