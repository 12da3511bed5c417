import { join } from 'node:path';
import type { PartnerEvent } from '#domain/events/index.ts';
import type { ChangeId, OriginId, RunId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import type { PartnerFacts } from '#domain/partner/facts.ts';
import type { EventLog } from '#main/log/types.ts';
import type { History } from '#main/partners/history.ts';
import type { FsPort } from '#main/ports/fs.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import { buildIndex, fallBack, loadIndex, take } from './feed.ts';
import { IndexDamage } from './fixed-file.ts';
import { pageFromEnd, tailFromEnd } from './from-end.ts';
import * as query from './queries.ts';
import type { TurnIndex } from './turn-index.ts';

/** Logs up to this many events are indexed before opening returns: it takes no time anyone notices. */
const SMALL = 5000;

export interface HistoryOptions {
  /** The partner's own directory; the index lies in `cache/history/`. */
  readonly dir: string;
  readonly log: EventLog;
  readonly fs: FsPort;
}

/**
 * A partner's past by the page (design §3, read model): an index on disk that knows the cut it covers and
 * is caught up from there. One that is missing or wrong is built again in the background; until then the
 * newest page and the tail are read from the log's end, everything else waits for it. Never the truth:
 * deleting it changes nothing but time.
 */
export async function openHistory(options: HistoryOptions): Promise<History> {
  const history = new IndexedHistory(options);
  await history.open();
  return history;
}

/** Whatever an index can be asked. */
type Ask<T> = (index: TurnIndex) => Promise<T>;

class IndexedHistory implements History {
  readonly #log: EventLog;
  readonly #fs: FsPort;
  readonly #dir: string;
  readonly #forget: () => void;
  /** Null while it is built. */
  #index: TurnIndex | null = null;
  #building: Promise<void> | null = null;
  /** What happened since, in order: noted events, and the seqs that the log was cut back to. */
  #queue: (readonly PartnerEvent[] | number)[] = [];
  #draining: Promise<void> | null = null;
  #closed = false;

  constructor({ dir, log, fs }: HistoryOptions) {
    this.#log = log;
    this.#fs = fs;
    this.#dir = join(dir, 'cache', 'history');
    this.#forget = log.onPoisoned(() => this.#queue.push(log.head().moment[log.origin] ?? 0));
  }

  async open(): Promise<void> {
    try {
      this.#index = await loadIndex(this.#fs, this.#dir, this.#log);
    } catch {
      this.#rebuild();
      if (this.#log.head().count <= SMALL) await this.#building;
    }
  }

  page(wanted: query.PageQuery): Promise<{ readonly turns: readonly TurnView[]; readonly older: boolean }> {
    const only = this.#onlyOrigin();
    const early = only !== null && wanted.before === undefined && wanted.asOf === undefined ? () => pageFromEnd(this.#log, only, wanted.limit) : null;
    return this.#ask((index) => query.page(this.#log, index, wanted), early);
  }

  facts(asOf?: Moment): Promise<PartnerFacts> {
    return this.#ask((index) => query.facts(this.#log, index, asOf));
  }

  turn(run: RunId): Promise<TurnView | null> {
    return this.#ask((index) => query.turn(this.#log, index, run));
  }

  turnOfChange(change: ChangeId): Promise<TurnView | null> {
    return this.#ask((index) => query.turnOfChange(this.#log, index, change));
  }

  tail(): Promise<readonly PartnerEvent[]> {
    const only = this.#onlyOrigin();
    return this.#ask((index) => query.tail(this.#log, index), only === null ? null : () => tailFromEnd(this.#log, only));
  }

  async *turnEvents(): AsyncGenerator<readonly PartnerEvent[]> {
    let before = await this.#ask(async (index) => index.turns.count);
    while (before > 0) {
      const at = --before;
      yield await this.#ask((index) => query.eventsOfTurn(this.#log, index, at));
    }
  }

  async *changedTurns(): AsyncGenerator<TurnView> {
    let left = await this.#ask(async (index) => index.changes.counts.changes);
    const told = new Set<number>();
    while (left > 0) {
      const n = --left;
      const at = await this.#ask(async (index) => (n < index.changes.counts.changes ? index.changes.turnAt(n) : null));
      if (at === null || told.has(at)) continue;
      told.add(at);
      const turn = await this.#ask((index) => query.turnAt(this.#log, index, at));
      if (turn) yield turn;
    }
  }

  note(events: readonly PartnerEvent[]): void {
    if (this.#closed) return;
    // A log that was cut back between acknowledging and this call no longer holds them.
    const { moment } = this.#log.head();
    this.#queue.push(events.filter((e) => e.seq <= (moment[e.origin] ?? 0)));
    void this.#drain();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#forget();
    await this.#building;
    await this.#drain();
    await this.#index?.flush().catch(() => undefined);
    await this.#index?.close();
  }

  /** Asks the index as of everything noted so far. What it cannot answer because it rotted is answered by a new one. */
  async #ask<T>(ask: Ask<T>, early: (() => Promise<T>) | null = null): Promise<T> {
    for (let tries = 0; ; tries++) {
      if (!this.#index && early && this.#log.head().count > 0) return early();
      await this.#building;
      await this.#drain();
      const index = this.#index;
      if (!index) {
        if (tries > 3) throw new Error('the index cannot be built');
        this.#rebuild();
        continue;
      }
      try {
        return await ask(index);
      } catch (cause) {
        if (!(cause instanceof IndexDamage) || tries > 3) throw cause;
        this.#discard(index);
      }
    }
  }

  #onlyOrigin(): OriginId | null {
    const origins = Object.keys(this.#log.head().moment) as OriginId[];
    return origins.length === 1 ? origins[0]! : null;
  }

  #discard(index: TurnIndex): void {
    if (this.#index !== index) return;
    this.#index = null;
    void index.close();
    this.#rebuild();
  }

  #rebuild(): void {
    if (this.#building) return;
    this.#building = (async () => {
      try {
        const index = await buildIndex(this.#fs, this.#dir, this.#log, () => this.#closed);
        this.#index = index;
      } catch {
        // No room for a file of its own, or the log itself cannot be read: the next question tries again.
      } finally {
        this.#building = null;
      }
    })();
  }

  /** Feeds the queue to the index, one at a time, in order. */
  #drain(): Promise<void> {
    this.#draining ??= (async () => {
      await null;
      while (this.#index && this.#queue.length > 0) {
        const index = this.#index;
        const next = this.#queue.shift()!;
        try {
          if (typeof next === 'number') await fallBack(index, this.#log, next);
          else await take(index, this.#log, next);
        } catch {
          this.#discard(index);
        }
      }
      this.#draining = null;
    })();
    return this.#draining;
  }
}
