import type { OriginId } from '#domain/ids.ts';

type Range = readonly [from: number, to: number];

/** What was erased, per origin, as ranges that neither touch nor overlap, ascending. */
export class ErasedRanges {
  readonly #ranges: Map<OriginId, Range[]>;

  constructor(stored: Readonly<Record<string, readonly Range[]>> = {}) {
    this.#ranges = new Map(Object.entries(stored).map(([origin, ranges]) => [origin as OriginId, [...ranges]]));
  }

  add(origin: OriginId, from: number, to: number): void {
    if (!(from <= to)) return;
    const kept: Range[] = [];
    let merged: Range = [from, to];
    for (const r of this.#ranges.get(origin) ?? []) {
      if (r[1] + 1 < merged[0] || r[0] > merged[1] + 1) kept.push(r);
      else merged = [Math.min(r[0], merged[0]), Math.max(r[1], merged[1])];
    }
    this.#ranges.set(origin, [...kept, merged].sort((a, b) => a[0] - b[0]));
  }

  /** Where the range that covers `seq` begins, or null. */
  startOf(origin: OriginId, seq: number): number | null {
    const ranges = this.#ranges.get(origin) ?? [];
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (ranges[mid]![1] < seq) low = mid + 1;
      else high = mid;
    }
    const r = ranges[low];
    return r && r[0] <= seq ? r[0] : null;
  }

  stored(): Record<string, readonly Range[]> {
    return Object.fromEntries(this.#ranges);
  }
}
