import type { EventDraft, StoredEvent } from '#domain/events/index.ts';
import type { Hash, OriginId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import type { Failure, Result } from '#domain/result.ts';

/**
 * One log: a partner's, or the app's. One directory with one sub-directory of segments per origin
 * (design §3). At most one process has it open for writing (main/lock).
 */
export interface EventLog {
  /** `readOnly` after damage, or when cutting back after a failed write failed too. */
  readonly mode: 'open' | 'readOnly';
  /** What opening found: cut tails, damage, missing ends; and what reading found since. Shown to the person. */
  readonly findings: readonly LogFinding[];
  /** The origin that this installation writes. */
  readonly origin: OriginId;
  /** Acknowledged events only. */
  head(): LogHead;
  /**
   * Assigns id, seq, lamport and chain and enqueues, synchronously: what `decide` saw is what is
   * written next. `tentative` may be folded into in-memory state at once; only `durable` may be
   * published. When `durable` is a failure the log was poisoned and cut back, and every view built
   * from tentative events must be thrown away (subscribe to `onPoisoned`).
   */
  append(drafts: readonly EventDraft[], options?: { readonly durable?: boolean }): Appended;
  /** Called once per poisoning, before any waiter learns of it. */
  onPoisoned(callback: (error: Failure) => void): () => void;
  /** Called for the first line that reading could not make out (I8); it is among the findings by then. */
  onUnreadable(callback: (finding: LogFinding) => void): void;
  /** Events of one origin, ascending, `from` and `to` inclusive; acknowledged ones only. Missing `to` means the head. */
  read(origin: OriginId, from: number, to?: number): AsyncIterable<StoredEvent>;
  /** All events in merge order (lamport, origin, seq) up to a moment (default: the head). */
  readMerged(upTo?: Moment): AsyncIterable<StoredEvent>;
  /** The same in batches, for who reads everything: an await for a few hundred events costs nothing, one for each more than parsing it. */
  readBatches(upTo?: Moment): AsyncIterable<readonly StoredEvent[]>;
  /** The lines as stored, for export, diagnosis and `curator log`. */
  readLines(origin: OriginId, from: number, to?: number): AsyncIterable<Uint8Array>;
  /** Rewrites erased payloads after a `ContentErased` was acknowledged. Resumable; reports done / total segments. */
  erase(onProgress?: (done: number, total: number) => void): Promise<Result<void>>;
  /** Flushes, anchors through the callback given at opening, and closes. Idempotent. */
  close(): Promise<void>;
}

export interface Appended {
  /** In the order of the drafts. */
  readonly tentative: readonly StoredEvent[];
  /** Resolves after one fsync that covers them. Codes: log.full, log.io, log.readOnly, log.closed. Never rejects. */
  readonly durable: Promise<Result<readonly StoredEvent[]>>;
}

export interface LogHead {
  readonly moment: Moment;
  readonly lamport: number;
  /** Number of events over all origins. */
  readonly count: number;
  /** Last hash per origin. */
  readonly hashes: Readonly<Record<OriginId, Hash>>;
}

export type LogFinding =
  /** An unfinished last record was cut and kept under `recovered/`; with an empty `copy` the disk refused, it is still there and the log is read-only. */
  | { readonly kind: 'tornTail'; readonly origin: OriginId; readonly bytes: number; readonly copy: string }
  /** The last anchored record was cut off: it is gone, what is left of it was copied (an empty `copy`: it only lies in the segment), and a fresh origin goes on. */
  | { readonly kind: 'lostRecord'; readonly origin: OriginId; readonly bytes: number; readonly copy: string }
  /** A complete record with a wrong hash or chain; what comes before it is readable. */
  | { readonly kind: 'damage'; readonly origin: OriginId; readonly segment: string; readonly offset: number; readonly afterSeq: number }
  /** The log ends before the last anchored event. */
  | { readonly kind: 'missingEnd'; readonly origin: OriginId; readonly lastSeq: number; readonly anchoredSeq: number }
  /** A line deep in the log that rotted, met while reading; everything around it is readable. */
  | { readonly kind: 'unreadable'; readonly origin: OriginId; readonly seq: number }
  /** Written by a newer version: kept, not folded. */
  | { readonly kind: 'unknownEvents'; readonly count: number };
