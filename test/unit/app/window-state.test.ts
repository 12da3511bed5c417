import { describe, expect, test, vi } from 'vitest';
import { batchOf, decide, nextUndecided, type Decisions } from '#app/approval/decisions.ts';
import { EnterGuard } from '#app/composer/enter-guard.ts';
import { backoff } from '#app/feeds/backoff.ts';
import { takeSessionKey } from '#app/feeds/key.ts';
import { recordTag } from '#app/panel/record-words.ts';
import { shortcutOf } from '#app/shell/shortcuts.ts';
import { panelWidth } from '#app/state/panel-width.ts';
import { DraftJournal } from '#app/state/drafts.ts';
import { fileKind, folderOf, nameOf, shownPath, sizeText } from '#app/text/paths.ts';
import { plan, record } from '../../support/app/data.ts';

describe('the unsent-draft journal', () => {
  test('writes the newest text once, keeps partners apart and flushes', async () => {
    vi.useFakeTimers();
    const stored = new Map<string, string>();
    const write = vi.fn(async (partner: string, text: string) => void stored.set(partner, text));
    const journal = new DraftJournal({ read: async (p) => stored.get(p) ?? '', write }, 250);
    journal.write('a', '1');
    journal.write('a', '12');
    journal.write('b', 'x');
    expect(await journal.read('a')).toBe('12');
    await vi.advanceTimersByTimeAsync(250);
    expect(write.mock.calls).toEqual([['a', '12'], ['b', 'x']]);
    journal.write('a', '');
    await journal.flush();
    expect(stored.get('a')).toBe('');
    vi.useRealTimers();
  });
});

describe('[WB-BLOCKER-001-B1] a batch is decided together', () => {
  const plans = [plan(1, 'edit', '/a'), plan(2, 'edit', '/b'), plan(3, 'trash', '/c')];
  test('nothing is sent before all are decided; deciding again replaces', () => {
    let d: Decisions = decide(new Map(), plans[0]?.call ?? '', { decision: 'approve' });
    expect(batchOf(plans, d)).toBeNull();
    expect(nextUndecided(plans, d, 0)).toBe(1);
    d = decide(d, plans[2]?.call ?? '', { decision: 'reject' });
    expect(nextUndecided(plans, d, 2)).toBe(1);
    d = decide(d, plans[1]?.call ?? '', { decision: 'guide', guidance: 'x' });
    expect(batchOf(plans, d)?.map((x) => x.decision)).toEqual(['approve', 'guide', 'reject']);
    expect(nextUndecided(plans, d, 2)).toBe(2);
  });
});

describe('[WB-COMPOSER-002-AC3] Enter and an IME', () => {
  const enter = (more: object = {}) => ({ isComposing: false, keyCode: 13, timeStamp: 1000, ...more });
  test('belongs to the composition until just after its end', () => {
    const guard = new EnterGuard();
    expect(guard.composing(enter())).toBe(false);
    expect(guard.composing(enter({ isComposing: true }))).toBe(true);
    expect(guard.composing(enter({ keyCode: 229 }))).toBe(true);
    guard.start();
    expect(guard.composing(enter())).toBe(true);
    guard.end(990);
    expect(guard.composing(enter())).toBe(true);
    expect(guard.composing(enter({ timeStamp: 1100 }))).toBe(false);
  });
});

describe('shortcuts', () => {
  const stroke = (more: object) => ({ key: '', code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, isComposing: false, target: null, ...more });
  test('are read by their keys, and never inside a composition', () => {
    expect(shortcutOf(stroke({ key: 'b', ctrlKey: true }))).toBe('sidebar');
    expect(shortcutOf(stroke({ key: 'ñ', code: 'KeyN', altKey: true }))).toBe('create');
    expect(shortcutOf(stroke({ key: '?' }))).toBe('help');
    expect(shortcutOf(stroke({ key: 'b', ctrlKey: true, isComposing: true }))).toBeNull();
    expect(shortcutOf(stroke({ key: 'b' }))).toBeNull();
  });
});

describe('the session key', () => {
  test('moves from the address to the tab at once', () => {
    const kept = new Map<string, string>();
    const storage = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) } as unknown as Storage;
    const replaceState = vi.fn();
    const at = (hash: string) => ({ hash, pathname: '/', search: '' }) as Location;
    expect(takeSessionKey(at('#k=abcdefgh12345678'), { replaceState } as unknown as History, storage)).toBe('abcdefgh12345678');
    expect(replaceState).toHaveBeenCalledWith(null, '', '/');
    expect(takeSessionKey(at(''), { replaceState } as unknown as History, storage)).toBe('abcdefgh12345678');
    expect(takeSessionKey(at('#k=<script>'), { replaceState } as unknown as History, { ...storage, getItem: () => null } as Storage)).toBeNull();
  });
  test('reconnecting waits longer each time, and never long', () => {
    expect(backoff(0, 0.5)).toBe(300);
    expect(backoff(3, 0.5)).toBe(2400);
    expect(backoff(50, 1)).toBeLessThanOrEqual(9600);
  });
});

describe('paths and records in words', () => {
  test('paths below an address begin with its name, on every system', () => {
    const addresses = [{ name: '报价', root: '/home/lin/文档/报价' }, { name: 'all', root: 'C:\\Users\\lin\\' }];
    expect(shownPath('/home/lin/文档/报价/华东/a.csv', addresses)).toBe('报价/华东/a.csv');
    expect(shownPath('/home/lin/文档/报价2/a.csv', addresses)).toBe('/home/lin/文档/报价2/a.csv');
    expect(shownPath('C:\\Users\\lin\\x\\a.md', addresses)).toBe('all/x/a.md');
    expect([nameOf('/a/b.md'), folderOf('/a/b.md'), nameOf('C:\\a\\b'), folderOf('b')]).toEqual(['b.md', '/a/', 'b', '']);
    expect([fileKind('a.XLSX'), fileKind('a.b/c'), sizeText(1023), sizeText(84 * 1024), sizeText(2.14 * 1024 * 1024)]).toEqual(['xls', 'file', '1023 B', '84 KB', '2.1 MB']);
  });
  test('[WB-APPLY-003-AC3] a reverted record says so; a created one is then deleted', () => {
    expect(recordTag(record(1, 'run_1', '/a', { state: 'reverted' }))?.word).toBe('files.reverted');
    expect(recordTag(record(1, 'run_1', '/a', { state: 'reverted', op: 'created' }))?.word).toBe('files.deleted');
    expect(recordTag(record(1, 'run_1', '/a'))).toBeNull();
    expect(recordTag(record(1, 'run_1', '/a', { added: null, removed: null }))?.word).toBe('files.changed');
  });
});

describe('the panel’s width', () => {
  test('opens to the ratio, leaves 500 px to the conversation and keeps 280 px for itself', () => {
    expect(panelWidth(1680, 0.48)).toBe(806);
    expect(panelWidth(900, 0.48)).toBe(400);
    expect(panelWidth(700, 0.48)).toBe(280);
    expect(panelWidth(1680, 0.05)).toBe(280);
  });
});
