import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffRows, FOLD_HEIGHT, ROW_HEIGHT, rowOffsets, stretches, visibleRows, widestColumns, wordMarks, type TextDiff } from '#app/panel/diff-rows.ts';

function diffOf(oldText: string[], newText: string[], hunks: TextDiff['hunks']): TextDiff {
  return { kind: 'text', added: 0, removed: 0, oldLines: oldText.length, newLines: newText.length, hunks, oldText, newText, encoding: 'utf-8', lineEnd: 'lf', bom: false, oldEndsWithNewline: true, newEndsWithNewline: true, coarse: false };
}
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`);

describe('[WB-PANEL-003-AC5] rows of a diff', () => {
  const before = lines(40);
  const after = [...before];
  after[19] = 'line twenty';
  const diff = diffOf(before, after, [{ oldFrom: 19, oldTo: 20, newFrom: 19, newTo: 20 }]);

  test('one number per row: old for removed, new otherwise; stretches fold with three lines of context', () => {
    const rows = diffRows(diff, new Set());
    expect(rows[0]).toEqual({ kind: 'fold', from: 0, to: 16 });
    expect(rows.slice(1, 4).map((r) => r.kind === 'same' && r.no)).toEqual([17, 18, 19]);
    expect(rows[4]).toMatchObject({ kind: 'del', no: 20, text: 'line 20' });
    expect(rows[5]).toMatchObject({ kind: 'add', no: 20, text: 'line twenty' });
    expect(rows.at(-1)).toEqual({ kind: 'fold', from: 23, to: 40 });
  });
  test('[WB-PANEL-003-AC6] an opened fold shows the after-lines', () => {
    const rows = diffRows(diff, new Set([23]));
    expect(rows.at(-1)).toEqual({ kind: 'same', no: 40, text: 'line 40' });
  });
  test('short stretches are not folded, and no diff folds everything', () => {
    const small = diffOf(lines(8), ['x', ...lines(8).slice(1)], [{ oldFrom: 0, oldTo: 1, newFrom: 0, newTo: 1 }]);
    expect(diffRows(small, new Set()).filter((r) => r.kind === 'fold')).toEqual([{ kind: 'fold', from: 4, to: 8 }]);
    expect(diffRows(diffOf(lines(9), lines(9), []), new Set())).toEqual([{ kind: 'fold', from: 0, to: 9 }]);
  });
  test('opening every fold shows every line of both texts once', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ keep: fc.nat(12), gone: fc.nat(3), come: fc.nat(3) }), { maxLength: 8 }), (parts) => {
        const oldText: string[] = [];
        const newText: string[] = [];
        const hunks: TextDiff['hunks'][number][] = [];
        for (const p of parts) {
          for (let i = 0; i < p.keep; i++) {
            oldText.push(`k${newText.length}`);
            newText.push(oldText.at(-1) ?? '');
          }
          if (p.gone + p.come === 0) continue;
          const hunk = { oldFrom: oldText.length, oldTo: oldText.length + p.gone, newFrom: newText.length, newTo: newText.length + p.come };
          oldText.push(...Array.from({ length: p.gone }, () => 'g'));
          newText.push(...Array.from({ length: p.come }, () => 'c'));
          hunks.push(hunk);
        }
        const diff2 = diffOf(oldText, newText, hunks);
        const folds = diffRows(diff2, new Set()).flatMap((r) => (r.kind === 'fold' ? [r] : []));
        const rows = diffRows(diff2, new Set(folds.map((f) => f.from)));
        expect(rows.filter((r) => r.kind === 'fold')).toEqual([]);
        expect(rows.flatMap((r) => (r.kind === 'same' || r.kind === 'add' ? [r.text] : []))).toEqual(newText);
        expect(rows.filter((r) => r.kind === 'del').length).toBe(hunks.reduce((n, h) => n + h.oldTo - h.oldFrom, 0));
      }),
    );
  });
});

describe('words inside a changed line', () => {
  test('marks what differs, and nothing when little is shared', () => {
    const m = wordMarks('deliver within 45 days', 'deliver within 30 days');
    expect(m.old.map(([a, b]) => 'deliver within 45 days'.slice(a, b))).toEqual(['45']);
    expect(wordMarks('abc', 'xyz')).toEqual({ old: [], new: [] });
    expect(wordMarks('a'.repeat(3000), 'b')).toEqual({ old: [], new: [] });
    expect(wordMarks('a', undefined)).toEqual({ old: [], new: [] });
  });
  test('stretches keep the text whole', () => {
    expect(stretches('a45b', [[1, 3]])).toEqual([{ text: 'a', marked: false }, { text: '45', marked: true }, { text: 'b', marked: false }]);
    expect(stretches('', [])).toEqual([{ text: '', marked: false }]);
  });
});

describe('the window of a long diff', () => {
  test('offsets are exact and the window holds what is seen', () => {
    const rows = diffRows(diffOf(lines(50_000), ['x', ...lines(50_000).slice(1)], [{ oldFrom: 0, oldTo: 1, newFrom: 0, newTo: 1 }]), new Set([4]));
    const offsets = rowOffsets(rows);
    expect(offsets.at(-1)).toBe(rows.reduce((n, r) => n + (r.kind === 'fold' ? FOLD_HEIGHT : ROW_HEIGHT), 0));
    const [from, to] = visibleRows(offsets, 500_000, 600, 0);
    expect(offsets[from]).toBeLessThanOrEqual(500_000);
    expect(offsets[to] ?? 0).toBeGreaterThanOrEqual(500_600);
    expect(to - from).toBeLessThan(40);
  });
  test('East Asian characters take two columns', () => expect(widestColumns([{ kind: 'same', no: 1, text: '交货a' }])).toBe(5));
});
