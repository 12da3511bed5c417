import { join } from 'node:path';
import type { EventId, OriginId, RunId } from '#domain/ids.ts';
import { PARTNER_FACT_TYPES } from '#domain/partner/facts.ts';
import type { FsPort } from '#main/ports/fs.ts';
import type { IndexEntry } from '#projections/index-entry.ts';
import { ChangeIndex, type ChangeCounts } from './change-index.ts';
import { ErasedRanges } from './erased-ranges.ts';
import { countWhile, FixedFile, IndexDamage } from './fixed-file.ts';
import { readHead, removeHead, writeHead } from './head.ts';
import { FACT_BYTES, readFact, readTouch, readTurn, TOUCH_BYTES, TURN_BYTES, writeFact, writeTouch, writeTurn, type FactRecord, type TouchRecord, type TurnRecord } from './records.ts';

/** Runs whose turn is remembered without a search. */
const RECENT = 4096;
/** Turns among which a message's run is looked for before it starts a new one. */
const NEWEST = 8;

/** The last covered event of one origin. */
export interface Cut {
  readonly seq: number;
  readonly id: EventId;
}

/**
 * Turns, facts, touches and changes of one partner in merge order, on disk in files of fixed records and a
 * head that says how much of them counts. Applying the same entries again writes the same records, so a
 * head from an earlier moment is a valid start whatever was written after it.
 */
export class TurnIndex {
  readonly #fs: FsPort;
  readonly #dir: string;
  readonly origins: OriginId[];
  readonly cuts: Map<OriginId, Cut>;
  readonly erased: ErasedRanges;
  readonly turns: FixedFile;
  readonly facts: FixedFile;
  readonly touches: FixedFile;
  readonly changes: ChangeIndex;
  /** The newest turn, kept in memory: most entries only move its end. */
  #newest: TurnRecord | null = null;
  #newestChanged = false;
  readonly #recent = new Map<RunId, number>();
  readonly #unknown = new Set<RunId>();

  private constructor(parts: { fs: FsPort; dir: string; origins: OriginId[]; cuts: Map<OriginId, Cut>; erased: ErasedRanges; files: Files }) {
    this.#fs = parts.fs;
    this.#dir = parts.dir;
    this.origins = parts.origins;
    this.cuts = parts.cuts;
    this.erased = parts.erased;
    [this.turns, this.facts, this.touches, this.changes] = parts.files;
  }

  /** What is on disk. Throws IndexDamage or the disk's error when it is of no use. */
  static async load(fs: FsPort, dir: string): Promise<TurnIndex> {
    const head = await readHead(fs, dir);
    if (!head) throw new IndexDamage('no head');
    const files = await openFiles(fs, dir, [head.turns, head.facts, head.touches], head);
    const cuts = new Map(head.origins.map((o) => [o.origin, { seq: o.seq, id: o.id }]));
    const index = new TurnIndex({ fs, dir, origins: head.origins.map((o) => o.origin), cuts, erased: new ErasedRanges(head.erased), files });
    try {
      if (index.turns.count > 0) index.#newest = await index.turn(index.turns.count - 1);
      if (index.facts.count > 0) await index.fact(index.facts.count - 1);
    } catch (cause) {
      await index.close();
      throw cause;
    }
    return index;
  }

  /** An empty one; what was there is gone. */
  static async create(fs: FsPort, dir: string): Promise<TurnIndex> {
    // Where the disk refuses, the index lives in memory; a head that stays behind is judged at the next opening.
    await fs.mkdir(dir, { recursive: true, mode: 0o700 }).catch(() => undefined);
    await removeHead(fs, dir).catch(() => undefined);
    return new TurnIndex({ fs, dir, origins: [], cuts: new Map(), erased: new ErasedRanges(), files: await openFiles(fs, dir, [null, null, null], null) });
  }

  async turn(index: number): Promise<TurnRecord> {
    return this.#newest && index === this.turns.count - 1 ? this.#newest : readTurn(await this.turns.get(index));
  }

  async fact(index: number): Promise<FactRecord> {
    return readFact(await this.facts.get(index));
  }

  /** Takes the next entry of its origin; what is covered already changes nothing. */
  async apply(entry: IndexEntry): Promise<void> {
    if (entry.seq <= (this.cuts.get(entry.origin)?.seq ?? 0)) return;
    const origin = this.#numberOf(entry.origin);
    if (entry.starts && entry.run && !(await this.#amongNewest(entry.run))) {
      this.#settleNewest();
      const turn: TurnRecord = { lamport: entry.lamport, seq: entry.seq, last: entry.seq, lastTouch: 0, origin, run: entry.run };
      this.turns.set(this.turns.count, writeTurn(turn));
      this.#newest = turn;
      this.#remember(entry.run, this.turns.count - 1);
    } else if (entry.run) {
      if (this.#newest?.run === entry.run && this.#newest.origin === origin) this.#change({ ...this.#newest, last: entry.seq });
      else await this.#touch(await this.find(entry.run), entry, origin);
    }
    const target = entry.reverts?.run;
    if (target && target !== entry.run) await this.#touch(await this.find(target, entry.reverts), entry, origin);
    if (entry.change && entry.run) {
      const turn = await this.find(entry.run);
      if (turn !== null) await this.changes.add(entry.change, turn, origin, entry.seq);
    }
    if (entry.fact > 0) await this.#addFact(entry, origin);
    for (const r of entry.erases) this.erased.add(r.origin, r.from, r.to);
    this.cuts.set(entry.origin, { seq: entry.seq, id: entry.id });
  }

  /** Position of a run's turn, or null. A hint makes it a binary search; else it is looked for from the end. */
  async find(run: RunId, hint?: { readonly origin: OriginId; readonly seq: number } | null): Promise<number | null> {
    const known = this.#recent.get(run);
    if (known !== undefined && known < this.turns.count) return known;
    if (this.#unknown.has(run)) return null;
    if (hint && this.origins.length === 1) {
      const at = await countWhile(this.turns.count, async (i) => (await this.turn(i)).seq < hint.seq);
      if (at < this.turns.count && (await this.turn(at)).run === run) return at;
    }
    for (let i = this.turns.count - 1; i >= 0; i--) {
      if ((await this.turn(i)).run !== run) continue;
      this.#remember(run, i);
      return i;
    }
    this.#unknown.add(run);
    return null;
  }

  /** Events elsewhere that change a turn, oldest first. */
  async touchesOf(turn: TurnRecord): Promise<TouchRecord[]> {
    const found: TouchRecord[] = [];
    for (let at = turn.lastTouch; at > 0; ) {
      const touch = readTouch(await this.touches.get(at - 1, true));
      found.push(touch);
      if (touch.previous >= at) throw new IndexDamage('touches in a circle');
      at = touch.previous;
    }
    return found.reverse();
  }

  /** Forgets what comes after a cut of one origin: its log was cut back. */
  async rollBack(origin: OriginId, cut: Cut | null): Promise<void> {
    const seq = cut?.seq ?? 0;
    if ((this.cuts.get(origin)?.seq ?? 0) <= seq) return;
    const number = this.#numberOf(origin);
    this.#settleNewest();
    await this.changes.rollBack(beyond);
    while (this.facts.count > 0 && beyond(await this.fact(this.facts.count - 1))) this.facts.cut(this.facts.count - 1);
    while (this.touches.count > 0 && beyond(readTouch(await this.touches.get(this.touches.count - 1)))) {
      const { turn, previous } = readTouch(await this.touches.get(this.touches.count - 1));
      this.turns.set(turn, writeTurn({ ...readTurn(await this.turns.get(turn)), lastTouch: previous }));
      this.touches.cut(this.touches.count - 1);
    }
    while (this.turns.count > 0 && beyond(readTurn(await this.turns.get(this.turns.count - 1)))) this.turns.cut(this.turns.count - 1);
    this.#newest = this.turns.count > 0 ? readTurn(await this.turns.get(this.turns.count - 1)) : null;
    if (this.#newest && this.#newest.origin === number && this.#newest.last > seq) this.#change({ ...this.#newest, last: seq });
    this.#recent.clear();
    if (cut) this.cuts.set(origin, cut);
    else this.cuts.delete(origin);

    function beyond(record: { readonly origin: number; readonly seq: number }): boolean {
      return record.origin === number && record.seq > seq;
    }
  }

  get unwritten(): number {
    return this.turns.unwritten + this.facts.unwritten + this.touches.unwritten + this.changes.unwritten;
  }

  /** Records first, then the head that makes them count. */
  async flush(): Promise<void> {
    this.#settleNewest();
    const head = {
      turns: this.turns.count, facts: this.facts.count, touches: this.touches.count, ...this.changes.counts, erased: this.erased.stored(),
      origins: this.origins.map((origin) => ({ origin, ...(this.cuts.get(origin) ?? { seq: 0, id: '' as EventId }) })),
    };
    for (const file of [this.touches, this.turns, this.facts, this.changes]) await file.flush();
    await writeHead(this.#fs, this.#dir, head);
  }

  async close(): Promise<void> {
    for (const file of [this.turns, this.facts, this.touches, this.changes]) await file.close();
  }

  async #touch(at: number | null, entry: IndexEntry, origin: number): Promise<void> {
    if (at === null) return;
    const turn = await this.turn(at);
    let previous = turn.lastTouch;
    // From a life that got further than the head: follow it back to what counts.
    while (previous > this.touches.count) previous = readTouch(await this.touches.get(previous - 1, true)).previous;
    const number = this.touches.count;
    this.touches.set(number, writeTouch({ seq: entry.seq, lamport: entry.lamport, turn: at, previous, origin }));
    const next = { ...turn, lastTouch: number + 1 };
    if (at === this.turns.count - 1) this.#change(next);
    else this.turns.set(at, writeTurn(next));
  }

  async #addFact(entry: IndexEntry, origin: number): Promise<void> {
    const number = this.facts.count;
    const before = number > 0 ? (await this.fact(number - 1)).latest : PARTNER_FACT_TYPES.map(() => 0);
    this.facts.set(number, writeFact({ seq: entry.seq, lamport: entry.lamport, origin, latest: before.map((n, i) => (i === entry.fact - 1 ? number + 1 : n)) }));
  }

  /** A second message of a run that goes on does not start a turn. */
  async #amongNewest(run: RunId): Promise<boolean> {
    for (let i = this.turns.count - 1; i >= Math.max(0, this.turns.count - NEWEST); i--) if ((await this.turn(i)).run === run) return true;
    return false;
  }

  #numberOf(origin: OriginId): number {
    const at = this.origins.indexOf(origin);
    return at >= 0 ? at : this.origins.push(origin) - 1;
  }

  #change(next: TurnRecord): void {
    this.#newest = next;
    this.#newestChanged = true;
  }

  #settleNewest(): void {
    if (this.#newest && this.#newestChanged) this.turns.set(this.turns.count - 1, writeTurn(this.#newest));
    this.#newestChanged = false;
  }

  #remember(run: RunId, at: number): void {
    this.#unknown.delete(run);
    if (this.#recent.size >= RECENT) this.#recent.delete(this.#recent.keys().next().value!);
    this.#recent.set(run, at);
  }
}

type Files = readonly [FixedFile, FixedFile, FixedFile, ChangeIndex];

/** Opens them all, or none: one that is not there closes those before it. */
async function openFiles(fs: FsPort, dir: string, counts: readonly [number | null, number | null, number | null], changes: ChangeCounts | null): Promise<Files> {
  const open: { close(): Promise<void> }[] = [];
  const kept = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const file = await opening;
    open.push(file);
    return file;
  };
  try {
    return [
      await kept(FixedFile.open(fs, join(dir, 'turns.bin'), TURN_BYTES, counts[0])),
      await kept(FixedFile.open(fs, join(dir, 'facts.bin'), FACT_BYTES, counts[1])),
      await kept(FixedFile.open(fs, join(dir, 'touches.bin'), TOUCH_BYTES, counts[2])),
      await kept(ChangeIndex.open(fs, dir, changes)),
    ];
  } catch (cause) {
    for (const file of open) await file.close();
    throw cause;
  }
}
