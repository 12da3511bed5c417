import type { OriginId } from './ids.ts';

/**
 * A cut through a partner's history: for every origin the last `seq` that is included (design §3).
 * Origins that are absent contribute nothing. The order of keys has no meaning.
 */
export type Moment = Readonly<Record<OriginId, number>>;

/** Prints `@1234` for a single origin, `@{id:seq,…}` (sorted by id) otherwise. */
export function printMoment(moment: Moment): string {
  const entries = Object.entries(moment).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return '@0';
  const [only] = entries;
  if (entries.length === 1 && only) return '@' + only[1];
  return '@{' + entries.map(([origin, seq]) => `${origin}:${seq}`).join(',') + '}';
}

/** Parses what {@link printMoment} printed; a bare `@n` needs the origins it is meant for. Returns null when it is neither. */
export function parseMoment(text: string, origins: readonly OriginId[]): Moment | null {
  const single = /^@(\d{1,15})$/.exec(text);
  if (single) {
    const [origin] = origins;
    return origins.length === 1 && origin ? { [origin]: Number(single[1]) } as Moment : null;
  }
  const many = /^@\{(.+)\}$/.exec(text);
  if (!many?.[1]) return null;
  const moment: Record<string, number> = {};
  for (const part of many[1].split(',')) {
    const m = /^(origin_[a-z2-7]{26}):(\d{1,15})$/.exec(part);
    if (!m?.[1]) return null;
    moment[m[1]] = Number(m[2]);
  }
  return moment as Moment;
}

export function includes(moment: Moment, at: { readonly origin: OriginId; readonly seq: number }): boolean {
  return (moment[at.origin] ?? 0) >= at.seq;
}

/** The deterministic order of a merged history: by lamport, then origin, then seq. A total order, whatever the order of arrival. */
export function mergeOrder(
  a: { readonly lamport: number; readonly origin: string; readonly seq: number },
  b: { readonly lamport: number; readonly origin: string; readonly seq: number },
): number {
  return a.lamport - b.lamport || (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0) || a.seq - b.seq;
}
