import { diff } from 'fast-myers-diff';

/** Lines `[beforeStart, beforeStart + beforeCount)` were replaced by `[afterStart, afterStart + afterCount)`; counted from 0. */
export interface LineHunk {
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
}

export interface LineDiff {
  readonly hunks: readonly LineHunk[];
  readonly added: number;
  readonly removed: number;
  /** The texts differ too much for the budget: one coarse hunk covers what was not compared. */
  readonly capped: boolean;
}

/** Comparisons before giving up on the shortest answer; about a quarter of a second. */
export const MAX_COMPARISONS = 20_000_000;

class TooDear extends Error {}

/**
 * Differences of two texts by line. A line includes its line end, so that CRLF against LF and a missing
 * last newline are differences (case 31). Pure; runs in a worker and in main alike.
 */
export function lineDiff(before: string, after: string, maxComparisons = MAX_COMPARISONS): LineDiff {
  const ids = new Map<string, number>();
  const xs = intern(before, ids);
  const ys = intern(after, ids);
  let start = 0;
  while (start < xs.length && start < ys.length && xs[start] === ys[start]) start += 1;
  let xEnd = xs.length;
  let yEnd = ys.length;
  while (xEnd > start && yEnd > start && xs[xEnd - 1] === ys[yEnd - 1]) {
    xEnd -= 1;
    yEnd -= 1;
  }
  const { hunks, capped } = middle(xs, ys, start, xEnd, yEnd, maxComparisons);
  return { hunks, capped, added: hunks.reduce((n, h) => n + h.afterCount, 0), removed: hunks.reduce((n, h) => n + h.beforeCount, 0) };
}

function middle(xs: readonly number[], ys: readonly number[], start: number, xEnd: number, yEnd: number, budget: number): { hunks: LineHunk[]; capped: boolean } {
  if (start === xEnd && start === yEnd) return { hunks: [], capped: false };
  // A line that stands on one side only is in no common sequence: leaving it out changes no answer and most of the cost.
  const xKeep = shared(xs, ys, start, xEnd, yEnd);
  const yKeep = shared(ys, xs, start, yEnd, xEnd);
  let spent = 0;
  const equal = (i: number, j: number) => {
    if (++spent > budget) throw new TooDear();
    return xs[xKeep[i]!] === ys[yKeep[j]!];
  };
  const xGone = new Uint8Array(xEnd - start).fill(1);
  const yNew = new Uint8Array(yEnd - start).fill(1);
  try {
    let x = 0;
    let y = 0;
    const matched = (toX: number) => {
      for (; x < toX; x++, y++) {
        xGone[xKeep[x]! - start] = 0;
        yNew[yKeep[y]! - start] = 0;
      }
    };
    for (const [sx, ex, , ey] of diff(xKeep, yKeep, equal)) {
      matched(sx);
      x = ex;
      y = ey;
    }
    matched(xKeep.length);
  } catch (cause) {
    if (!(cause instanceof TooDear)) throw cause;
    return { hunks: [{ beforeStart: start, beforeCount: xEnd - start, afterStart: start, afterCount: yEnd - start }], capped: true };
  }
  return { hunks: hunksOf(xGone, yNew, start), capped: false };
}

/** Positions in `[start, end)` whose line also stands in the other side's `[start, otherEnd)`. */
function shared(lines: readonly number[], others: readonly number[], start: number, end: number, otherEnd: number): number[] {
  const there = new Set(others.slice(start, otherEnd));
  const keep: number[] = [];
  for (let i = start; i < end; i++) if (there.has(lines[i]!)) keep.push(i);
  return keep;
}

function hunksOf(gone: Uint8Array, fresh: Uint8Array, start: number): LineHunk[] {
  const hunks: LineHunk[] = [];
  let x = 0;
  let y = 0;
  while (x < gone.length || y < fresh.length) {
    const fromX = x;
    const fromY = y;
    while (x < gone.length && gone[x] === 1) x += 1;
    while (y < fresh.length && fresh[y] === 1) y += 1;
    if (x > fromX || y > fromY) hunks.push({ beforeStart: start + fromX, beforeCount: x - fromX, afterStart: start + fromY, afterCount: y - fromY });
    else {
      x += 1;
      y += 1;
    }
  }
  return hunks;
}

/** One number per distinct line, the line end included. */
function intern(text: string, ids: Map<string, number>): number[] {
  const lines: number[] = [];
  for (let from = 0; from < text.length; ) {
    const at = text.indexOf('\n', from);
    const end = at < 0 ? text.length : at + 1;
    const line = text.slice(from, end);
    let id = ids.get(line);
    if (id === undefined) ids.set(line, (id = ids.size));
    lines.push(id);
    from = end;
  }
  return lines;
}
