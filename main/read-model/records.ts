import type { RunId } from '#domain/ids.ts';
import { PARTNER_FACT_TYPES } from '#domain/partner/facts.ts';

/** One turn. `origin` is a position in the index's list of origins. */
export interface TurnRecord {
  readonly lamport: number;
  /** Where the turn begins in its origin. */
  readonly seq: number;
  /** Last event of its run before the next turn. */
  readonly last: number;
  /** 1 + the newest of the events elsewhere that change this turn; 0 for none. */
  readonly lastTouch: number;
  readonly origin: number;
  readonly run: RunId;
}

/** An event elsewhere that changes a turn: a revert, or a late word of its run. */
export interface TouchRecord {
  readonly seq: number;
  readonly lamport: number;
  readonly turn: number;
  /** 1 + the one before it of the same turn; 0 for none. */
  readonly previous: number;
  readonly origin: number;
}

/** A fact of the partner itself. `latest[t]` is 1 + the newest record of fact type t up to and with this one. */
export interface FactRecord {
  readonly seq: number;
  readonly lamport: number;
  readonly origin: number;
  readonly latest: readonly number[];
}

/** A change and the turn it belongs to. */
export interface ChangeIndexRecord {
  readonly key: string;
  readonly turn: number;
  /** 1 + the one before it in the same bucket; 0 for none. */
  readonly previous: number;
  readonly origin: number;
  readonly seq: number;
}

const KEY_BYTES = 26;
const RUN_AT = 32;
const RUN_BYTES = 64;
export const TURN_BYTES = RUN_AT + RUN_BYTES + 4;
export const TOUCH_BYTES = 32;
export const CHANGE_BYTES = 20 + KEY_BYTES + 2 + 4;
export const BUCKET_BYTES = 8;
export const FACT_BYTES = 20 + 4 * PARTNER_FACT_TYPES.length + 4;

/** Fixed-size records of the index: `write…` gives the bytes, `read…` takes them apart. */
export function writeTurn(t: TurnRecord): Buffer {
  const b = Buffer.alloc(TURN_BYTES);
  b.writeDoubleLE(t.lamport, 0);
  b.writeDoubleLE(t.seq, 8);
  b.writeDoubleLE(t.last, 16);
  b.writeUInt32LE(t.lastTouch, 24);
  b.writeUInt16LE(t.origin, 28);
  b.writeUInt16LE(b.write(t.run, RUN_AT, RUN_BYTES, 'utf8'), 30);
  return b;
}

export function readTurn(b: Buffer): TurnRecord {
  return {
    lamport: b.readDoubleLE(0), seq: b.readDoubleLE(8), last: b.readDoubleLE(16), lastTouch: b.readUInt32LE(24), origin: b.readUInt16LE(28),
    run: b.toString('utf8', RUN_AT, RUN_AT + b.readUInt16LE(30)) as RunId,
  };
}

export function writeTouch(t: TouchRecord): Buffer {
  const b = Buffer.alloc(TOUCH_BYTES);
  b.writeDoubleLE(t.seq, 0);
  b.writeDoubleLE(t.lamport, 8);
  b.writeUInt32LE(t.turn, 16);
  b.writeUInt32LE(t.previous, 20);
  b.writeUInt16LE(t.origin, 24);
  return b;
}

export function readTouch(b: Buffer): TouchRecord {
  return { seq: b.readDoubleLE(0), lamport: b.readDoubleLE(8), turn: b.readUInt32LE(16), previous: b.readUInt32LE(20), origin: b.readUInt16LE(24) };
}

/** The part of an id that tells it from all others; itself when it is a key already. */
export function keyOf(id: string): string {
  return id.slice(-KEY_BYTES);
}

export function writeChange(c: ChangeIndexRecord): Buffer {
  const b = Buffer.alloc(CHANGE_BYTES);
  b.writeDoubleLE(c.seq, 0);
  b.writeUInt32LE(c.turn, 8);
  b.writeUInt32LE(c.previous, 12);
  b.writeUInt16LE(c.origin, 16);
  b.writeUInt16LE(b.write(c.key, 20, KEY_BYTES, 'latin1'), 18);
  return b;
}

export function readChange(b: Buffer): ChangeIndexRecord {
  return { seq: b.readDoubleLE(0), turn: b.readUInt32LE(8), previous: b.readUInt32LE(12), origin: b.readUInt16LE(16), key: b.toString('latin1', 20, 20 + b.readUInt16LE(18)) };
}

export function writeBucket(first: number): Buffer {
  const b = Buffer.alloc(BUCKET_BYTES);
  b.writeUInt32LE(first, 0);
  return b;
}

export function readBucket(b: Buffer): number {
  return b.readUInt32LE(0);
}

export function writeFact(f: FactRecord): Buffer {
  const b = Buffer.alloc(FACT_BYTES);
  b.writeDoubleLE(f.lamport, 0);
  b.writeDoubleLE(f.seq, 8);
  b.writeUInt16LE(f.origin, 16);
  f.latest.forEach((n, i) => b.writeUInt32LE(n, 20 + 4 * i));
  return b;
}

export function readFact(b: Buffer): FactRecord {
  return { lamport: b.readDoubleLE(0), seq: b.readDoubleLE(8), origin: b.readUInt16LE(16), latest: PARTNER_FACT_TYPES.map((_, i) => b.readUInt32LE(20 + 4 * i)) };
}
