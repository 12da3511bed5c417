import { lift } from '#domain/events/lifts.ts';
import type { EventDraft, StoredEvent } from '#domain/events/index.ts';
import type { Hash, OriginId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import { errnoOf } from '#main/ports/fs.ts';
import { newId } from '#main/ports/random.ts';
import { eraseSegments, type EraseWork } from './erase.ts';
import { MAX_LAMPORT, MAX_LINE, saltOf, seal, Slab } from './line.ts';
import type { OriginLog } from './origin-log.ts';
import type { LogParts } from './parts.ts';
import { DAMAGED, readMerged, readOrigin, readRawLines, within } from './read.ts';
import { SEGMENT_BYTES } from './segments.ts';
import type { Appended, EventLog, LogFinding, LogHead } from './types.ts';
import { SegmentWriter, type Mark } from './writer.ts';

interface Waiting {
  readonly lines: readonly Buffer[];
  readonly events: readonly StoredEvent[];
  /** The end of the log with these lines. */
  readonly mark: Mark;
  readonly durable: boolean;
  readonly answer: (result: Result<readonly StoredEvent[]>) => void;
}

/** The log in memory: heads, the append queue, the poison. Built by `openEventLog`. */
export class FileEventLog implements EventLog {
  readonly findings: LogFinding[];
  readonly #p: LogParts;
  readonly #writer: SegmentWriter;
  readonly #poisoned = new Set<(error: Failure) => void>();
  readonly #unreadable = new Set<(finding: LogFinding) => void>();
  #mode: 'open' | 'readOnly';
  #closed: Promise<void> | null = null;
  /** Where the next line links: runs ahead of what is acknowledged. */
  #next: Mark;
  #acked: Mark;
  #queue: Waiting[] = [];
  readonly #slab = new Slab();
  /** Work on the segments that must not overlap a write. */
  #jobs: { readonly work: () => Promise<void>; readonly answer: (result: Result<void>) => void }[] = [];
  #flushing: Promise<void> | null = null;
  /** Something failed: nothing is written before the cut is on the disk. */
  #cutBack = false;
  #unsettled: (() => Promise<void>) | null;

  constructor(parts: LogParts) {
    this.#p = parts;
    this.findings = [...parts.findings];
    this.#unsettled = parts.unsettled;
    this.#mode = parts.readOnly ? 'readOnly' : 'open';
    const { own } = parts;
    const lamport = Math.max(0, ...[...parts.origins.values()].map((o) => o.lamport));
    this.#acked = { seq: own.headSeq, hash: own.headHash, lamport };
    this.#next = this.#acked;
    own.lamport = lamport;
    this.#writer = new SegmentWriter(parts.fs, own);
  }

  get mode(): 'open' | 'readOnly' {
    return this.#mode;
  }
  get origin(): OriginId {
    return this.#p.own.origin;
  }

  head(): LogHead {
    const [moment, hashes]: [Record<string, number>, Record<string, Hash>] = [{}, {}];
    let count = 0;
    for (const o of this.#p.origins.values()) {
      const { seq, hash } = o === this.#p.own ? this.#acked : { seq: o.headSeq, hash: o.headHash };
      if (seq === 0) continue;
      moment[o.origin] = seq;
      hashes[o.origin] = hash;
      count += seq;
    }
    return { moment: moment as Moment, lamport: this.#acked.lamport, count, hashes: hashes as LogHead['hashes'] };
  }

  append(drafts: readonly EventDraft[], options: { readonly durable?: boolean } = {}): Appended {
    const refuse = (error: Failure): Appended => ({ tentative: [], durable: Promise.resolve({ ok: false, error }) });
    if (this.#closed) return refuse({ code: 'log.closed' });
    if (this.#mode !== 'open') return refuse({ code: 'log.readOnly' });
    const { own, random, clock } = this.#p;
    const at = new Date(clock.now()).toISOString();
    const [lines, events]: [Buffer[], StoredEvent[]] = [[], []];
    let mark = this.#next;
    for (const draft of drafts) {
      const id = newId(random, 'event');
      const place = { id, origin: own.origin, seq: mark.seq + 1, lamport: mark.lamport + 1, at, prev: mark.hash };
      if (place.lamport > MAX_LAMPORT) return refuse({ code: 'log.lamport' });
      const { bytes, hash } = seal(draft, place, saltOf(random), this.#slab);
      if (bytes.length > MAX_LINE) return refuse({ code: 'log.tooLong', params: { type: draft.type, bytes: bytes.length } });
      lines.push(bytes);
      const { actor, run, cause, refs, type, v, data } = draft;
      events.push({ id, origin: own.origin, seq: place.seq, lamport: place.lamport, at, actor, run, cause, class: draft.class, refs, type, v, data });
      mark = { seq: place.seq, lamport: place.lamport, hash };
    }
    this.#next = mark;
    const durable = new Promise<Result<readonly StoredEvent[]>>((answer) => {
      this.#queue.push({ lines, events, mark, durable: options.durable ?? true, answer });
    });
    this.#flushing ??= this.#flush();
    return { tentative: events, durable };
  }

  onPoisoned(callback: (error: Failure) => void): () => void {
    this.#poisoned.add(callback);
    return () => this.#poisoned.delete(callback);
  }

  async *read(origin: OriginId, from: number, to?: number): AsyncGenerator<StoredEvent> {
    const log = this.#p.origins.get(origin);
    const head = log ? this.#headOf(log) : 0;
    if (log) for await (const batch of readOrigin(this.#p.fs, log, Math.max(1, from), Math.min(to ?? head, head))) for (const event of batch) yield this.#seen(event);
  }

  async *readBatches(upTo?: Moment): AsyncGenerator<readonly StoredEvent[]> {
    for await (const batch of readMerged(this.#p.fs, [...this.#p.origins.values()], within(this.head().moment, upTo))) yield batch.map((event) => this.#seen(event));
  }

  async *readMerged(upTo?: Moment): AsyncGenerator<StoredEvent> {
    for await (const batch of this.readBatches(upTo)) for (const event of batch) yield event;
  }

  async *readLines(origin: OriginId, from: number, to?: number): AsyncGenerator<Uint8Array> {
    const log = this.#p.origins.get(origin);
    const head = log ? this.#headOf(log) : 0;
    if (log) for await (const { line } of readRawLines(this.#p.fs, log, Math.max(1, from), Math.min(to ?? head, head))) yield line;
  }

  async erase(onProgress?: (done: number, total: number) => void): Promise<Result<void>> {
    if (this.#closed) return fail('log.closed');
    if (this.#mode !== 'open') return fail('log.readOnly');
    const work: EraseWork[] = [];
    // The current segment is ended first and the list is made in the same step: what is written from here
    // on lies in a segment that is not on it, and no line of ours is ever written into one that is replaced.
    const rolled = await this.#exclusive(async () => {
      await this.#writer.roll();
      for (const origin of this.#p.origins.values()) for (const segment of origin.segments) if (segment.size > 0) work.push({ origin, segment });
    });
    return rolled.ok ? eraseSegments(this.#p.fs, work, this, onProgress) : rolled;
  }

  onUnreadable(callback: (finding: LogFinding) => void): void {
    this.#unreadable.add(callback);
  }

  /** An event as readers get it. Where a line rotted the person is told, once. */
  #seen(event: StoredEvent): StoredEvent {
    if (event.type === DAMAGED && !this.findings.some((f) => f.kind === 'unreadable')) {
      const finding: LogFinding = { kind: 'unreadable', origin: event.origin, seq: event.seq };
      this.findings.push(finding);
      for (const callback of this.#unreadable) callback(finding);
    }
    return lift(this.#p.kind, event);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      while (this.#flushing) await this.#flushing;
      // Checkpoints were acknowledged without an fsync: from here on somebody may anchor the head.
      if (this.#mode === 'open' && !this.#cutBack) await this.#writer.sync().catch((cause: unknown) => this.#poison(cause));
      if (this.#cutBack && this.#mode === 'open') await this.#writer.repair().catch(() => undefined);
      await this.#writer.close();
    })();
    return this.#closed;
  }

  #headOf(log: OriginLog): number {
    return log === this.#p.own ? this.#acked.seq : log.headSeq;
  }

  #exclusive(work: () => Promise<void>): Promise<Result<void>> {
    return new Promise((answer) => {
      this.#jobs.push({ work, answer });
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes everything that waits, one fsync for all, until nothing waits. Never rejects. */
  async #flush(): Promise<void> {
    // One turn of the microtask queue: appends of the same tick share the first fsync.
    await null;
    while (this.#queue.length > 0 || this.#jobs.length > 0) {
      if (this.#cutBack && !(await this.#repaired())) break;
      const job = this.#jobs.shift();
      const batch = job ? [] : this.#takeBatch();
      try {
        await this.#unsettled?.();
        this.#unsettled = null;
        if (job) await job.work();
        else await this.#write(batch);
        job?.answer(ok());
      } catch (cause) {
        const error = this.#poison(cause);
        for (const w of job ? [job] : batch) w.answer({ ok: false, error });
        // At once, not with the next line: the disk should not hold for long what nobody was told of.
        if (!(await this.#repaired())) break;
      }
    }
    this.#flushing = null;
  }

  async #repaired(): Promise<boolean> {
    try {
      await this.#writer.repair();
      this.#cutBack = false;
      return true;
    } catch {
      this.#mode = 'readOnly';
      for (const w of [...this.#queue.splice(0), ...this.#jobs.splice(0)]) w.answer({ ok: false, error: { code: 'log.readOnly' } });
      return false;
    }
  }

  /** Whole requests up to half a segment. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    while (this.#queue.length > 0) {
      const size = this.#queue[0]!.lines.reduce((n, l) => n + l.length, 0);
      if (batch.length > 0 && bytes + size > SEGMENT_BYTES / 2) break;
      batch.push(this.#queue.shift()!);
      bytes += size;
    }
    return batch;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const lines = batch.flatMap((w) => w.lines);
    const mark = batch.at(-1)?.mark ?? this.#acked;
    if (lines.length > 0) await this.#writer.write(lines, mark, batch.some((w) => w.durable));
    this.#acked = mark;
    for (const w of batch) w.answer(ok(w.events));
  }

  /** Any failed write or fsync: nothing after the last synced byte counts any more (design §3). */
  #poison(cause: unknown): Failure {
    const errno = errnoOf(cause);
    const error: Failure = { code: errno === 'ENOSPC' || errno === 'EDQUOT' ? 'log.full' : 'log.io', params: { errno } };
    this.#cutBack = true;
    this.#acked = this.#next = this.#writer.cut();
    const waiting = this.#queue.splice(0);
    for (const callback of [...this.#poisoned]) {
      try {
        callback(error);
      } catch (bug) {
        // A listener's bug must not leave the waiters hanging; it is thrown where nobody waits.
        void Promise.reject(bug);
      }
    }
    for (const w of waiting) w.answer({ ok: false, error });
    return error;
  }
}
