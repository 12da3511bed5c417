import { describe, expect, it } from 'vitest';
import { lineDiff } from '#workers/diff/line-diff.ts';

/** Puts the hunks back together from both texts: what they do not cover must be equal. */
function holds(before: string, after: string): boolean {
  const split = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const [xs, ys] = [split(before), split(after)];
  let x = 0;
  let out = '';
  for (const hunk of lineDiff(before, after).hunks) {
    out += xs.slice(x, hunk.beforeStart).join('') + ys.slice(hunk.afterStart, hunk.afterStart + hunk.afterCount).join('');
    x = hunk.beforeStart + hunk.beforeCount;
  }
  return out + xs.slice(x).join('') === after;
}

describe('line diff', () => {
  it('[WB-APPLY-005-AC4] counts changed lines', () => {
    expect(lineDiff('a\nb\nc\n', 'a\nB\nc\nd\n')).toMatchObject({ added: 2, removed: 1, capped: false });
    expect(lineDiff('', 'a\nb')).toMatchObject({ added: 2, removed: 0 });
    expect(lineDiff('a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n')).toMatchObject({ added: 1, removed: 1 });
    expect(lineDiff('same\n', 'same\n').hunks).toEqual([]);
  });
  it('[case 31] takes a missing last newline for a difference', () => {
    expect(lineDiff('abc', 'abc\n')).toMatchObject({ added: 1, removed: 1 });
  });
  it('gives hunks that turn one text into the other, the shortest ones', () => {
    let state = 3;
    const next = (below: number) => (state = (state * 1103515245 + 12345) >>> 0) % below;
    const common = (a: readonly string[], b: readonly string[]): number => {
      let row = new Array<number>(b.length + 1).fill(0);
      for (const x of a) row = b.reduce((next, y, j) => [...next, x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)], [0]);
      return row.at(-1)!;
    };
    for (let i = 0; i < 3000; i++) {
      const text = () => Array.from({ length: next(12) }, () => 'abcde'[next(5)] + '\n').join('') + (next(3) === 0 ? 'z' : '');
      const [before, after] = [text(), text()];
      expect(holds(before, after), JSON.stringify([before, after])).toBe(true);
      const lines = (whole: string) => whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      expect(lineDiff(before, after).added).toBe(lines(after).length - common(lines(before), lines(after)));
    }
  });
  it('gives up in time on texts with nothing in order', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`);
    const started = performance.now();
    const out = lineDiff(lines.join(''), [...lines].reverse().join(''));
    expect(out).toMatchObject({ capped: true, added: 20_000, removed: 20_000 });
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
