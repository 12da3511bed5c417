import { join } from 'node:path';
import { lift } from '#domain/events/lifts.ts';
import type { EventDraft, StoredEvent } from '#domain/events/index.ts';
import type { Hash, OriginId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';
import { errnoOf, type FsPort, type OpenFile } from '#main/ports/fs.ts';
import { newId, type Random } from '#main/ports/random.ts';
import { eraseSegments } from './erase.ts';
import { MAX_LINE, seal } from './line.ts';
import type { OriginLog, SegmentInfo } from './origin-log.ts';
import { readMerged, readOrigin, readRawLines } from './read.ts';
import { pathOf, SEGMENT_BYTES } from './segments.ts';
import { BlockBuilder, sidecarPath, writeSidecar } from './sidecar.ts';
import type { Appended, EventLog, LogFinding, LogHead } from './types.ts';

/** Largest lamport that is ever written, and the largest step an import may make beyond what is known (design §3). */
export const MAX_LAMPORT = 2 ** 48;

export interface LogParts {
  readonly kind: 'partner' | 'app';
  readonly fs: FsPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly origins: ReadonlyMap<OriginId, OriginLog>;
  readonly own: OriginLog;
  readonly findings: readonly LogFinding[];
  readonly readOnly: boolean;
}

interface Waiting {
  readonly lines: readonly Buffer[];
  readonly events: readonly StoredEvent[];
  readonly durable: boolean;
  readonly answer: (result: Result<readonly StoredEvent[]>) => void;
}

/** The log in memory: heads, the append queue, the poison. Built by {@link openEventLog}. */
export class FileEventLog implements EventLog {
  readonly findings: readonly LogFinding[];
  readonly #p: LogParts;
  readonly #poisoned = new Set<() => void>();
  #mode: 'open' | 'readOnly';
  #closed = false;
  /** Where the next line links: runs ahead of what is acknowledged. */
  #next: { seq: number; hash: Hash; lamport: number };
  #acked: { seq: number; hash: Hash; lamport: number };
  #others: { lamport: number; count: number };
  #queue: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #file: OpenFile | null = null;
  /** Bytes of the current segment that are acknowledged. */
  #size = 0;
  /** Set after a failure: where to cut before anything is written again. */
  #cutBack = false;
  /** After a cut, writing goes on in a new segment. */
  #needsFresh = false;

  constructor(parts: LogParts) {
    this.#p = parts;
    this.findings = parts.findings;
    this.#mode = parts.readOnly ? 'readOnly' : 'open';
    const { own } = parts;
    const lamport = Math.max(0, ...[...parts.origins.values()].map((o) => o.lamport));
    this.#acked = { seq: own.headSeq, hash: own.headHash, lamport };
    this.#next = { ...this.#acked };
    const others = [...parts.origins.values()].filter((o) => o !== own);
    this.#others = { lamport, count: others.reduce((n, o) => n + o.headSeq, 0) };
    this.#size = own.segments.at(-1)?.size ?? 0;
  }

  get mode(): 'open' | 'readOnly' {
    return this.#mode;
  }

  get origin(): OriginId {
    return this.#p.own.origin;
  }

  head(): LogHead {
    const moment: Record<string, number> = {};
    const hashes: Record<string, Hash> = {};
    for (const o of this.#p.origins.values()) {
      const own = o === this.#p.own;
      const seq = own ? this.#acked.seq : o.headSeq;
      if (seq === 0) continue;
      moment[o.origin] = seq;
      hashes[o.origin] = own ? this.#acked.hash : o.headHash;
    }
    return { moment: moment as Moment, lamport: this.#acked.lamport, count: this.#others.count + this.#acked.seq, hashes: hashes as LogHead['hashes'] };
  }

  append(drafts: readonly EventDraft[], options: { readonly durable?: boolean } = {}): Appended {
    const refuse = (error: Failure): Appended => ({ tentative: [], durable: Promise.resolve({ ok: false, error }) });
    if (this.#closed) return refuse({ code: 'log.closed' });
    if (this.#mode !== 'open') return refuse({ code: 'log.readOnly' });
    const { own, random } = this.#p;
    const at = new Date(this.#p.clock.now()).toISOString();
    const lines: Buffer[] = [];
    const events: StoredEvent[] = [];
    const next = { ...this.#next };
    for (const draft of drafts) {
      const id = newId(random, 'event');
      const place = { id, origin: own.origin, seq: next.seq + 1, lamport: next.lamport + 1, at, prev: next.hash };
      if (place.lamport > MAX_LAMPORT) return refuse({ code: 'log.lamport' });
      const { bytes, hash } = seal(draft, place, saltOf(random));
      if (bytes.length > MAX_LINE) return refuse({ code: 'log.tooLong', params: { type: draft.type, bytes: bytes.length } });
      lines.push(bytes);
      const { actor, run, cause, refs, type, v, data } = draft;
      events.push({ id, origin: own.origin, seq: place.seq, lamport: place.lamport, at, actor, run, cause, class: draft.class, refs, type, v, data });
      next.seq = place.seq;
      next.lamport = place.lamport;
      next.hash = hash;
    }
    this.#next = next;
    const durable = new Promise<Result<readonly StoredEvent[]>>((answer) => {
      this.#queue.push({ lines, events, durable: options.durable ?? true, answer });
    });
    this.#flushing ??= this.#flush();
    return { tentative: events, durable };
  }

  onPoisoned(callback: () => void): () => void {
    this.#poisoned.add(callback);
    return () => this.#poisoned.delete(callback);
  }

  async *read(origin: OriginId, from: number, to?: number): AsyncGenerator<StoredEvent> {
    const log = this.#p.origins.get(origin);
    if (!log) return;
    const head = log === this.#p.own ? this.#acked.seq : log.headSeq;
    for await (const batch of readOrigin(this.#p.fs, log, Math.max(1, from), Math.min(to ?? head, head))) for (const event of batch) yield lift(this.#p.kind, event);
  }

  async *readMerged(upTo?: Moment): AsyncGenerator<StoredEvent> {
    const head = this.head().moment;
    const limit = Object.fromEntries(Object.entries(head).map(([o, seq]) => [o, upTo ? Math.min(seq, upTo[o as OriginId] ?? 0) : seq])) as Moment;
    for await (const batch of readMerged(this.#p.fs, [...this.#p.origins.values()], limit)) for (const event of batch) yield lift(this.#p.kind, event);
  }

  async *readLines(origin: OriginId, from: number, to?: number): AsyncGenerator<Uint8Array> {
    const log = this.#p.origins.get(origin);
    if (!log) return;
    const head = log === this.#p.own ? this.#acked.seq : log.headSeq;
    for await (const { line } of readRawLines(this.#p.fs, log, Math.max(1, from), Math.min(to ?? head, head))) yield line;
  }

  async erase(onProgress?: (done: number, total: number) => void): Promise<Result<void>> {
    if (this.#mode !== 'open') return fail('log.readOnly');
    await this.#flushing;
    // The current segment may hold lines to erase: it is closed first, so that every rewritten one is complete.
    const rolled = await this.#exclusive(() => this.#roll());
    if (!rolled.ok) return rolled;
    return eraseSegments(this.#p.fs, this.#p.origins, this, onProgress);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushing;
    const { own, fs } = this.#p;
    const last = own.segments.at(-1);
    try {
      if (last && this.#mode === 'open' && this.#file) {
        await fs.mkdir(own.cacheDir, { recursive: true });
        await writeSidecar(fs, sidecarPath(own.cacheDir, last.number), own.builder.blocks);
      }
    } catch {
      // A cache: missing it costs one check of one segment at the next start.
    }
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
  }

  async #exclusive(work: () => Promise<void>): Promise<Result<void>> {
    const run = (async (): Promise<Result<void>> => {
      try {
        await work();
        return ok();
      } catch (cause) {
        return { ok: false, error: this.#poison(cause) };
      }
    })();
    this.#flushing = run.then(async () => {
      this.#flushing = null;
      if (this.#queue.length > 0) await (this.#flushing = this.#flush());
    });
    return run;
  }

  /** Writes everything that waits, one fsync for all, until nothing waits. Never rejects. */
  async #flush(): Promise<void> {
    // One turn of the microtask queue: appends of the same tick share the first fsync.
    await null;
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      try {
        if (this.#cutBack) await this.#repair();
        await this.#write(batch);
      } catch (cause) {
        const error = this.#poison(cause);
        for (const w of batch) w.answer({ ok: false, error });
        if (this.#mode === 'readOnly') break;
        try {
          await this.#repair();
        } catch {
          this.#mode = 'readOnly';
          for (const w of this.#queue.splice(0)) w.answer({ ok: false, error: { code: 'log.readOnly' } });
          break;
        }
      }
    }
    this.#flushing = null;
  }

  /** Whole requests up to one segment's worth; a request is never split over two segments. */
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
    const bytes = lines.length === 1 ? lines[0]! : Buffer.concat(lines);
    if (bytes.length > 0) {
      if (this.#needsFresh) await this.#openFresh();
      if (!this.#file || (this.#size > 0 && this.#size + bytes.length > SEGMENT_BYTES)) await this.#roll();
      const file = this.#file!;
      file.writeNow(bytes, this.#size);
      if (batch.some((w) => w.durable)) await file.datasync();
    }
    const { own } = this.#p;
    this.#size += bytes.length;
    for (const line of lines) own.builder.take(line);
    const info = own.segments.at(-1);
    if (info) info.size = this.#size;
    const last = batch.at(-1)?.events.at(-1) ?? batch.findLast((w) => w.events.length > 0)?.events.at(-1);
    if (last) {
      const hash = lines.at(-1)!.toString('latin1', 6, 70) as Hash;
      this.#acked = { seq: last.seq, hash, lamport: last.lamport };
      own.headSeq = last.seq;
      own.headHash = hash;
      own.lamport = last.lamport;
    }
    for (const w of batch) w.answer(ok(w.events));
  }

  /** Goes on in the current segment if it has room, else in a new one whose name is durable before its first line. */
  async #roll(): Promise<void> {
    const { own, fs } = this.#p;
    const last = own.segments.at(-1);
    if (!this.#file && last && !this.#cutBack && last.size < SEGMENT_BYTES) {
      this.#file = await fs.open(pathOf(own.dir, last.number), 'r+');
      this.#size = last.size;
      return;
    }
    if (this.#file) {
      const old = this.#file;
      this.#file = null;
      await old.datasync();
      await old.close();
    }
    if (last) await this.#saveSidecar(last);
    if (own.segments.length === 0) await this.#makeFolders();
    const number = (last?.number ?? 0) + 1;
    this.#file = await fs.open(pathOf(own.dir, number), 'wx', 0o600);
    own.segments.push({ number, firstSeq: this.#acked.seq + 1, size: 0 });
    own.builder = new BlockBuilder([]);
    this.#size = 0;
    await fs.syncDir(own.dir);
  }

  async #makeFolders(): Promise<void> {
    const { own, fs } = this.#p;
    await fs.mkdir(own.dir, { recursive: true, mode: 0o700 });
    const logDir = join(own.dir, '..');
    await fs.syncDir(logDir);
    await fs.syncDir(join(logDir, '..'));
  }

  async #saveSidecar(info: SegmentInfo): Promise<void> {
    const { own, fs } = this.#p;
    try {
      await fs.mkdir(own.cacheDir, { recursive: true });
      await writeSidecar(fs, sidecarPath(own.cacheDir, info.number), own.builder.blocks);
    } catch {
      // Disposable; see close().
    }
  }

  /** Any failed write or fsync: nothing after the last acknowledged byte counts any more (design §3). */
  #poison(cause: unknown): Failure {
    const errno = errnoOf(cause);
    const error: Failure = { code: errno === 'ENOSPC' || errno === 'EDQUOT' ? 'log.full' : 'log.io', params: { errno } };
    this.#cutBack = true;
    this.#next = { ...this.#acked };
    const waiting = this.#queue.splice(0);
    for (const callback of [...this.#poisoned]) callback();
    for (const w of waiting) w.answer({ ok: false, error });
    return error;
  }

  /**
   * Cuts the segment back to the last acknowledged byte (never to “what still reads well”: after a
   * failed fsync the page cache lies), makes that durable, and leaves the segment for good.
   */
  async #repair(): Promise<void> {
    const { own, fs } = this.#p;
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
    const last = own.segments.at(-1);
    if (last) {
      try {
        const file = await fs.open(pathOf(own.dir, last.number), 'r+');
        try {
          await file.truncate(last.size);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (cause) {
        // The segment's file itself never came to be: there is nothing to cut.
        if (errnoOf(cause) !== 'ENOENT' || last.size > 0) throw cause;
      }
    }
    // A segment created just before the failure may exist without being known: its number is taken.
    const stray = pathOf(own.dir, (last?.number ?? 0) + 1);
    await fs.unlink(stray).catch((cause: unknown) => {
      if (errnoOf(cause) !== 'ENOENT') throw cause;
    });
    this.#cutBack = false;
    // Making the new segment belongs to the next write: a full disk must not end the log for good (case 51).
    this.#needsFresh = true;
  }

  async #openFresh(): Promise<void> {
    const { own, fs } = this.#p;
    const last = own.segments.at(-1);
    if (!last || last.size === 0) {
      // Nothing acknowledged in it: the same (now empty) segment is as good as a new one.
      if (last) own.segments.pop();
      if (last) await fs.unlink(pathOf(own.dir, last.number)).catch(() => undefined);
    }
    await this.#makeNew();
    this.#needsFresh = false;
  }

  async #makeNew(): Promise<void> {
    const { own, fs } = this.#p;
    if (own.segments.length === 0) await this.#makeFolders();
    const number = (own.segments.at(-1)?.number ?? 0) + 1;
    const file = await fs.open(pathOf(own.dir, number), 'wx', 0o600);
    try {
      await fs.syncDir(own.dir);
    } catch (cause) {
      await file.close().catch(() => undefined);
      await fs.unlink(pathOf(own.dir, number)).catch(() => undefined);
      throw cause;
    }
    this.#file = file;
    own.segments.push({ number, firstSeq: this.#acked.seq + 1, size: 0 });
    own.builder = new BlockBuilder([]);
    this.#size = 0;
  }
}

const SALT_BYTES = 16;
function saltOf(random: Random): string {
  return Buffer.from(random.bytes(SALT_BYTES)).toString('base64url');
}
