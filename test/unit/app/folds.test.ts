import { describe, expect, test } from 'vitest';
import { emptyTalk, foldPush, withOlder } from '#app/feeds/conversation-fold.ts';
import { foldPartners } from '#app/feeds/partners-fold.ts';
import type { WireEvent } from '#main/api/views.ts';
import { partners, turn } from '../../support/app/data.ts';

const event = (type: string, run: string, data: unknown, seq = 1): WireEvent =>
  ({ id: `event_${seq}`, origin: 'origin_1', seq, lamport: seq, at: '2026-03-11T08:00:00.000Z', actor: 'host', run, cause: null, class: 'control', refs: [], type, v: 1, data }) as unknown as WireEvent;
const loaded = (runs: number[], older = false) => foldPush(emptyTalk, { kind: 'page', page: { turns: runs.map((n) => turn(n, 100 - n, `m${n}`, { status: 'running' })), older } }).view;
const runs = (v: ReturnType<typeof loaded>) => v.turns.map((t) => t.run);

describe('[WB-COMPOSER-003-AC2] the conversation’s fold', () => {
  test('a newest page keeps older turns that join it, and drops what has a gap', () => {
    const grown = withOlder(loaded([5, 6], true), { turns: [turn(3, 0, ''), turn(4, 0, '')], older: false });
    expect(runs(grown)).toEqual(['run_3', 'run_4', 'run_5', 'run_6']);
    expect(grown.prepended).toBe(true);
    const again = foldPush(grown, { kind: 'page', page: { turns: [turn(5, 0, ''), turn(6, 0, ''), turn(7, 0, '')], older: true } }).view;
    expect(runs(again)).toEqual(['run_3', 'run_4', 'run_5', 'run_6', 'run_7']);
    expect(again.older).toBe(false);
    expect(again.prepended).toBe(false);
    expect(runs(foldPush(grown, { kind: 'page', page: { turns: [turn(9, 0, '')], older: true } }).view)).toEqual(['run_9']);
  });
  test('an older page never doubles a turn', () => {
    expect(runs(withOlder(loaded([5]), { turns: [turn(4, 0, ''), turn(5, 0, '')], older: false }))).toEqual(['run_4', 'run_5']);
  });
  test('drafts grow from their offset; a gap asks for a page', () => {
    const first = foldPush(loaded([1]), { kind: 'draft', draft: { run: 'run_1' as never, call: 1, offset: 0, text: 'ab', thinking: false } });
    const second = foldPush(first.view, { kind: 'draft', draft: { run: 'run_1' as never, call: 1, offset: 2, text: 'cd', thinking: false } });
    expect(second.view.drafts.get('run_1' as never)?.text).toBe('abcd');
    expect(foldPush(second.view, { kind: 'draft', draft: { run: 'run_1' as never, call: 1, offset: 9, text: 'x', thinking: false } }).resync).toBe(true);
    const next = foldPush(second.view, { kind: 'draft', draft: { run: 'run_1' as never, call: 2, offset: 0, text: 'new', thinking: false } });
    expect(next.view.drafts.get('run_1' as never)?.text).toBe('new');
  });
  test('a piece that a snapshot already held is neither doubled nor asks for a page', () => {
    const draft = (offset: number, text: string) => ({ kind: 'draft' as const, draft: { run: 'run_1' as never, call: 1, offset, text, thinking: false } });
    const held = foldPush(loaded([1]), draft(0, 'abcdef')).view;
    for (const [offset, text, whole] of [[2, 'cd', 'abcdef'], [4, 'ef', 'abcdef'], [4, 'efgh', 'abcdefgh'], [6, 'gh', 'abcdefgh']] as const) {
      const next = foldPush(held, draft(offset, text));
      expect(next.resync).toBe(false);
      expect(next.view.drafts.get('run_1' as never)?.text).toBe(whole);
    }
    expect(foldPush(held, draft(7, 'h')).resync).toBe(true);
  });
  test('[WB-COMPOSER-014-AC2] the recorded text takes the draft’s place', () => {
    const drafted = foldPush(loaded([1]), { kind: 'draft', draft: { run: 'run_1' as never, call: 1, offset: 0, text: 'ab', thinking: false } }).view;
    const done = foldPush(drafted, { kind: 'events', events: [event('AnswerRecorded', 'run_1', { call: 1, text: { text: 'abc' } }, 2), event('RunCompleted', 'run_1', {}, 3)] }).view;
    expect(done.drafts.size).toBe(0);
    expect(done.turns[0]?.answer?.text).toBe('abc');
    expect(done.turns[0]?.status).toBe('completed');
  });
  test('events that a newer version wrote change nothing', () => {
    const view = loaded([1]);
    expect(foldPush(view, { kind: 'events', events: [{ ...event('FutureThing', 'run_1', {}), unknown: true }] }).view).toBe(view);
  });
});

describe('the sidebar’s fold', () => {
  test('pinned first, then newest first; rows change in place, and go', () => {
    const list = foldPartners(null, { kind: 'list', partners: partners('zh') });
    expect(list?.[0]?.pinned).toBe(true);
    expect(list?.[1]?.name).toBe('小满');
    const last = list?.at(-1);
    if (!last || !list) throw new Error('no list');
    const moved = foldPartners(list, { kind: 'changed', partner: { ...last, lastAt: new Date().toISOString() } });
    expect(moved?.[1]?.id).toBe(last.id);
    expect(moved?.length).toBe(list.length);
    expect(foldPartners(moved, { kind: 'gone', partner: last.id })?.some((p) => p.id === last.id)).toBe(false);
  });
});
