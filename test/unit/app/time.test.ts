import { describe, expect, test } from 'vitest';
import { barTime, needsBar, relativeTime } from '#app/text/time.ts';

const now = new Date(2026, 2, 11, 16, 45).getTime();
const at = (...d: [number, number, number, number, number]) => new Date(d[0], d[1] - 1, d[2], d[3], d[4]).toISOString();

describe('[WB-SESSION-001-B5] relative time', () => {
  test.each([
    [0, '刚刚', 'Just now'], [59, '刚刚', 'Just now'], [60, '1小时', '1 h'], [23 * 60 + 59, '23小时', '23 h'], [24 * 60, '1天', '1 d'], [400 * 1440, '400天', '400 d'], [-5, '刚刚', 'Just now'],
  ])('%i minutes ago', (minutes, zh, en) => {
    const then = new Date(now - minutes * 60_000).toISOString();
    expect(relativeTime('zh', then, now)).toBe(zh);
    expect(relativeTime('en', then, now)).toBe(en);
  });
  test('an unreadable time counts as now', () => expect(relativeTime('zh', 'x', now)).toBe('刚刚'));
});

describe('[WB-SESSION-013-B1] time bars', () => {
  test.each([
    [at(2026, 3, 11, 9, 5), '9:05', '9:05'], [at(2026, 3, 10, 16, 45), '昨天 16:45', 'Yesterday 16:45'], [at(2026, 3, 4, 16, 45), '2026/3/4 16:45', '2026/3/4 16:45'],
    [at(2026, 3, 5, 16, 45), '星期四 16:45', 'Thursday 16:45'], [at(2025, 12, 31, 0, 0), '2025/12/31 0:00', '2025/12/31 0:00'],
  ])('%s', (then, zh, en) => {
    expect(barTime('zh', then, now)).toBe(zh);
    expect(barTime('en', then, now)).toBe(en);
  });
  test('stand first, after half an hour and at a new day', () => {
    expect(needsBar(null, at(2026, 3, 11, 9, 0))).toBe(true);
    expect(needsBar(at(2026, 3, 11, 9, 0), at(2026, 3, 11, 9, 29))).toBe(false);
    expect(needsBar(at(2026, 3, 11, 9, 0), at(2026, 3, 11, 9, 30))).toBe(true);
    expect(needsBar(at(2026, 3, 10, 23, 59), at(2026, 3, 11, 0, 1))).toBe(true);
  });
});
