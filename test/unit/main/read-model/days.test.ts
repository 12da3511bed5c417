import { describe, expect, it } from 'vitest';
import type { Moment } from '#domain/moment.ts';
import type { EventLog } from '#main/log/types.ts';
import { daysOf, momentAt, type DayView } from '#main/read-model/days.ts';
import { recording } from '#test/support/fs/faults.ts';
import { appendIds, fixedClock, message, openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

const DIR = '/data/partners/p1';
const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 28, 20);

async function all(log: EventLog, offset: number): Promise<DayView[]> {
  const days: DayView[] = [];
  for await (const day of daysOf(log, offset)) days.push(day);
  return days;
}

/** What folding everything says: the last seq of each origin up to each local day's end. */
async function folded(log: EventLog, offset: number): Promise<DayView[]> {
  const days = new Map<string, Moment>();
  const soFar: Record<string, number> = {};
  const events = [];
  for await (const e of log.readMerged()) events.push(e);
  for (const e of events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    soFar[e.origin] = e.seq;
    days.set(new Date(Date.parse(e.at) + offset * 60_000).toISOString().slice(0, 10), { ...soFar } as Moment);
  }
  return [...days].map(([day, end]) => ({ day, end })).reverse();
}

describe('days of a history', () => {
  it('are those of a fold over everything, in any time zone, with several origins', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const fs = memoryFs();
      const random = seeded(seed);
      const clock = fixedClock(START);
      for (const machine of ['m1', 'm2', 'm3']) {
        const log = await openLog(fs, DIR, { clock, machine, random });
        for (let i = 0; i < 40; i++) {
          clock.set(clock.now() + random.below(9) * HOUR);
          await appendIds(log, Array.from({ length: 1 + random.below(4) }, () => message('x')));
        }
        for (const offset of [0, 480, -570, 345]) expect(await all(log, offset), `seed ${seed} offset ${offset}`).toEqual(await folded(log, offset));
        const time = START + random.below(200) * HOUR;
        const expected: Record<string, number> = {};
        for await (const e of log.readMerged()) if (Date.parse(e.at) <= time) expected[e.origin] = e.seq;
        expect(await momentAt(log, time)).toEqual(expected);
        await log.close();
      }
    }
  });

  it('come to an end whatever a clock did, each with an earlier moment than the one before [I10] [F9]', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seeded(seed);
      const clock = fixedClock(START);
      const log = await openLog(memoryFs(), DIR, { clock, random });
      for (let i = 0; i < 40; i++) {
        clock.set(START + (random.below(400) - 200) * HOUR);
        await appendIds(log, [message('x')]);
      }
      const ends = (await all(log, 60)).map((d) => d.end[log.origin]!);
      expect(ends[0]).toBe(40);
      expect(ends.every((seq, i) => i === 0 || seq < ends[i - 1]!), `seed ${seed}`).toBe(true);
    }
  });

  it('take a few reads each, however long the history is', async () => {
    const fs = recording(memoryFs());
    const clock = fixedClock(START);
    const log = await openLog(fs, DIR, { clock });
    for (let day = 0; day < 40; day++) {
      clock.set(START + day * 24 * HOUR);
      await appendIds(log, Array.from({ length: 100 }, () => message('x')));
    }
    const before = fs.calls.length;
    const seen: string[] = [];
    for await (const { day } of daysOf(log, 0)) if (seen.push(day) === 3) break;
    expect(seen).toEqual(['2026-05-06', '2026-05-05', '2026-05-04']);
    expect(fs.calls.length - before).toBeLessThan(3 * 14 * 6);
  });
});
