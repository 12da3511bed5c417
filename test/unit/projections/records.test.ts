import { describe, expect, test } from 'vitest';
import { netRecords, recordChange } from '#projections/conversation/records.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import { planRevert, planUndo } from '#projections/revert/plan.ts';
import { changeId, file, folder, RUN } from '#test/support/events.ts';

type Done = Parameters<typeof recordChange>[1];
const A = file('a');
const B = file('b');
const C = file('c');
const done = (over: Partial<Done>): Done => ({ change: changeId(), call: null, op: 'write', path: '/w/a.md', kind: 'file', address: null, before: A, after: B, ...over }) as Done;
const after = (...changes: Done[]) => changes.reduce<readonly ChangeRecord[]>((records, c) => recordChange(records, c, RUN), []);

describe('records of a run', () => {
  test('[WB-APPLY-005-AC1] several edits of one file are one record from first to last', () => {
    const records = after(done({ added: 1, removed: 1 }), done({ before: B, after: C, added: 2, removed: 1 }));
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ before: A, after: C, added: 2, removed: 1, op: 'changed', state: 'live' });
    expect(records[0]!.steps).toHaveLength(2);
  });
  test('[WB-APPLY-003-AC8] a change and its way back leave no record; the steps stay in the raw events', () => {
    expect(netRecords(after(done({}), done({ before: B, after: A })))).toEqual([]);
  });
  test('a record follows its file through a rename, with the edit', () => {
    const records = netRecords(after(done({}), done({ op: 'rename', to: '/w/B.md', before: B, after: B })));
    expect(records).toEqual([expect.objectContaining({ from: '/w/a.md', path: '/w/B.md', before: A, after: B, op: 'changed' })]);
  });
  test('a rename alone is moved; there and back is nothing', () => {
    const there = done({ op: 'rename', path: '/w/a', to: '/w/b', before: A, after: A });
    expect(netRecords(after(there))[0]).toMatchObject({ op: 'moved', from: '/w/a', path: '/w/b' });
    expect(netRecords(after(there, done({ op: 'rename', path: '/w/b', to: '/w/a', before: A, after: A })))).toEqual([]);
  });
  test('created and trashed in one run is nothing; trashed is deleted', () => {
    const made = done({ op: 'create', before: null, after: A });
    expect(netRecords(after(made, done({ op: 'trash', before: A, after: null })))).toEqual([]);
    expect(netRecords(after(done({ op: 'trash', before: A, after: null })))[0]).toMatchObject({ op: 'deleted' });
  });
  test('trashed and created again is one change of the same file', () => {
    const records = netRecords(after(done({ op: 'trash', before: A, after: null }), done({ op: 'create', before: null, after: B })));
    expect(records).toEqual([expect.objectContaining({ before: A, after: B, op: 'changed' })]);
  });
  test('a copy is a created file and leaves its source alone', () => {
    const records = netRecords(after(done({ op: 'copy', path: '/w/a', to: '/w/b', before: null, after: A })));
    expect(records).toEqual([expect.objectContaining({ from: '/w/b', path: '/w/b', before: null, after: A, op: 'created' })]);
  });
  test('a revert flips the record and undoing it flips it back', () => {
    const first = done({});
    const target = (undo: boolean) => ({ origin: 'o' as never, seq: 1, run: RUN, record: first.change, undo });
    const reverted = after(first, done({ op: 'revert', before: B, after: A, reverts: target(false) }));
    expect(reverted[0]).toMatchObject({ state: 'reverted', before: A, after: B });
    const live = recordChange(reverted, done({ op: 'revert', before: A, after: B, reverts: target(true) }), null);
    expect(live[0]).toMatchObject({ state: 'live', reverts: [] });
  });
});

describe('taking a record back', () => {
  const [edited] = after(done({}));
  test('[WB-APPLY-003-B1] a changed file gets its bytes from before, never an inverse diff', () => {
    expect(planRevert(edited!)).toEqual([{ effect: 'restore', path: '/w/a.md', restore: A, expected: B }]);
  });
  test('[WB-APPLY-003-AC2] a created file is removed', () => {
    expect(planRevert(after(done({ op: 'create', before: null, after: A }))[0]!)).toEqual([{ effect: 'remove', path: '/w/a.md', restore: null, expected: A }]);
  });
  test('[case 35] a renamed and edited file is moved back, then restored', () => {
    const [record] = after(done({ path: '/w/notes.txt' }), done({ op: 'rename', path: '/w/notes.txt', to: '/w/Notes.txt', before: B, after: B }));
    expect(planRevert(record!)).toMatchObject([{ effect: 'moveBack', path: '/w/Notes.txt', to: '/w/notes.txt' }, { effect: 'restore', path: '/w/notes.txt', restore: A, expected: B }]);
  });
  test('a trashed file comes out of the trash, or from its blob', () => {
    const trashed = { file: '/t/a', info: null };
    expect(planRevert(after(done({ op: 'trash', before: A, after: null, trashed }))[0]!)).toMatchObject([{ effect: 'recreate', untrash: trashed, restore: A, expected: null }]);
    expect(planRevert(after(done({ op: 'trash', before: A, after: null }))[0]!)).toMatchObject([{ effect: 'recreate', restore: A, expected: null }]);
  });
  test('[case 6] without the bytes it refuses; a changed file is never removed', () => {
    expect(planRevert(after(done({ before: file('a', 1, false) }))[0]!)).toBe('revert.noBytes');
    expect(planRevert(after(done({ op: 'trash', kind: 'folder', before: folder(), after: null }))[0]!)).toBe('revert.noBytes');
  });
  test('twice is refused, and undoing replays the revert backwards', () => {
    const target = { origin: 'o' as never, seq: 1, run: RUN, record: edited!.record, undo: false };
    const kept = file('d');
    const [reverted] = recordChange([edited!], done({ op: 'revert', before: kept, after: A, reverts: target }), null);
    expect(planRevert(reverted!)).toBe('revert.already');
    expect(planUndo(reverted!)).toEqual([{ effect: 'restore', path: '/w/a.md', restore: kept, expected: A }]);
    expect(planUndo(edited!)).toBe('revert.notReverted');
  });
});
