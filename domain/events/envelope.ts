import type { EventId, Hash, OriginId, RunId } from '../ids.ts';

/**
 * `content`: what was said, thought or shown (may be erased). `audit`: file changes and the consent
 * for them (never erased by a clear). `control`: everything else. Readable by versions that do not
 * know the type, so any version can erase, collect and merge rightly (design §3).
 */
export type EventClass = 'content' | 'audit' | 'control';

/** Who acted. `partner` is the model's own doing, `host` is the product (recovery, settlement). */
export type Actor = 'person' | 'partner' | 'host';

/** What a caller hands to the log; the log adds origin, seq, lamport, at, id and the chain. */
export interface EventDraft<T extends string = string, D = unknown> {
  readonly type: T;
  readonly v: number;
  readonly class: EventClass;
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly cause: EventId | null;
  /** Every blob that the event needs, without doubles. */
  readonly refs: readonly Hash[];
  readonly data: D;
}

/** A fact as read from the log, lifted to its current version. `data` is null when it was erased. */
export interface StoredEvent<T extends string = string, D = unknown> {
  readonly id: EventId;
  readonly origin: OriginId;
  readonly seq: number;
  readonly lamport: number;
  /** Wall clock as a label, ISO 8601 with milliseconds in UTC. Never used for order. */
  readonly at: string;
  readonly actor: Actor;
  readonly run: RunId | null;
  readonly cause: EventId | null;
  readonly class: EventClass;
  readonly refs: readonly Hash[];
  readonly type: T;
  readonly v: number;
  readonly data: D | null;
  /** The erasure that took the payload; present exactly when `data` is null. */
  readonly erasedBy?: EventId;
  /** Written by a newer version: kept and shown, never folded. */
  readonly unknown?: true;
}
