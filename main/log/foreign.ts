import type { Hash, OriginId } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { MAX_LAMPORT } from './line.ts';
import type { EventLog } from './types.ts';

/** The largest step that a history from elsewhere may make beyond what is known here (design §3). */
export const MAX_LAMPORT_LEAP = 2 ** 32;

/** One origin and one seq with two hashes: two writers had the same origin (design §3, Origins and order). */
export interface Fork {
  readonly origin: OriginId;
  /** The first event that differs. */
  readonly seq: number;
  readonly ours: Hash;
  readonly theirs: Hash;
}

/** Hash of the line at a seq of one origin; null when it is not there. */
export type HashAt = (seq: number) => Promise<Hash | null>;

/** How one origin of an open log answers. */
export function hashAt(log: EventLog, origin: OriginId): HashAt {
  return async (seq) => {
    for await (const line of log.readLines(origin, seq, seq)) return Buffer.from(line).toString('latin1', 6, 70) as Hash;
    return null;
  };
}

/**
 * The first event at which two copies of one origin part, among the first `common`. Each line carries the
 * hash of the one before it, so equal hashes mean equal histories up to there: a binary search decides,
 * whatever the length. Both copies must have been verified.
 */
export async function findFork(origin: OriginId, ours: HashAt, theirs: HashAt, common: number): Promise<Fork | null> {
  const differs = async (seq: number): Promise<Fork | null> => {
    const [a, b] = [await ours(seq), await theirs(seq)];
    return a !== null && b !== null && a !== b ? { origin, seq, ours: a, theirs: b } : null;
  };
  let found = common > 0 ? await differs(common) : null;
  for (let low = 1; found && low < found.seq; ) {
    const mid = Math.floor((low + found.seq) / 2);
    const here = await differs(mid);
    if (here) found = here;
    else low = mid + 1;
  }
  return found;
}

/** Judges a lamport from elsewhere before anything of it is stored. Codes: log.lamport {lamport, known}. */
export function checkLamport(lamport: number, known: number): Result<void> {
  const lawful = Number.isSafeInteger(lamport) && lamport > 0 && lamport <= MAX_LAMPORT && lamport <= known + MAX_LAMPORT_LEAP;
  return lawful ? ok() : fail('log.lamport', { lamport: String(lamport), known });
}
