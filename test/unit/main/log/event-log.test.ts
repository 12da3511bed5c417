import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '#domain/events/index.ts';
import type { EventLog } from '#main/log/types.ts';
import { SEGMENT_BYTES } from '#main/log/segments.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';
import { failing } from '#test/support/fs/faults.ts';
import { appendIds, checkpoint, erased, fixedClock, idsOf, message, named, openLog, seeded } from '#test/support/fs/log-world.ts';

const DIR = '/data/partners/p1';
const list = async (events: AsyncIterable<StoredEvent>) => {
  const all: StoredEvent[] = [];
  for await (const e of events) all.push(e);
  return all;
};
const textsOf = async (log: EventLog) => (await list(log.readMerged())).map((e) => (e.data as { text?: { text: string } } | null)?.text?.text ?? null);
const big = 'x'.repeat(30_000);

describe('the event log', () => {
  it('reads back what was acknowledged, in order, once [I1]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    const ids = (await Promise.all(Array.from({ length: 200 }, (_, i) => appendIds(log, [message(`m${i}`)])))).flat();
    expect(await idsOf(log)).toEqual(ids);
    await log.close();
    const again = await openLog(fs, DIR);
    expect(await idsOf(again)).toEqual(ids);
    expect(again.findings).toEqual([]);
    expect((await list(again.read(again.origin, 130, 140))).map((e) => e.seq)).toEqual([130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140]);
  });

  it('reads any range of many segments, with sidecars, without and with lying ones', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    const n = Math.ceil((2.2 * SEGMENT_BYTES) / 30_400);
    for (let i = 0; i < n; i += 20) await appendIds(log, Array.from({ length: Math.min(20, n - i) }, (_, k) => message(`${i + k + 1} ${big}`)));
    await log.close();
    const random = seeded(5);
    const check = async () => {
      const again = await openLog(fs, DIR);
      for (let i = 0; i < 12; i++) {
        const from = 1 + random.below(n);
        const to = Math.min(n, from + random.below(9));
        expect((await list(again.read(again.origin, from, to))).map((e) => e.seq)).toEqual(Array.from({ length: to - from + 1 }, (_, k) => from + k));
      }
      await again.close();
    };
    await check();
    const cache = `${DIR}/cache/${log.origin}`;
    const names = (await fs.readdir(cache)).map((e) => e.name);
    expect(names).toHaveLength(3);
    for (const name of names) {
      const file = await fs.open(`${cache}/${name}`, 'r+');
      const bytes = Buffer.from(await fs.readFile(`${cache}/${name}`));
      for (let at = 0; at + 40 <= bytes.length; at += 40) bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at) - 7n, at);
      await file.write(bytes, 0);
    }
    await check();
    for (const name of names) await fs.unlink(`${cache}/${name}`).catch(() => {});
    await check();
  });

  it('goes on in an empty segment that an earlier process left [I2]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    const ids = await appendIds(log, Array.from({ length: 150 }, (_, i) => message(`m${i}`)));
    await log.close();
    await fs.open(`${DIR}/log/${log.origin}/00000002.jsonl`, 'wx');
    const next = await openLog(fs, DIR);
    const more = await appendIds(next, Array.from({ length: 150 }, (_, i) => message(`n${i}`)));
    expect((await list(next.read(next.origin, 290, 300))).map((e) => e.seq)).toHaveLength(11);
    await next.close();
    const last = await openLog(fs, DIR);
    expect(last.findings).toEqual([]);
    expect(await idsOf(last)).toEqual([...ids, ...more]);
    expect((await list(last.read(last.origin, 220, 221))).map((e) => e.seq)).toEqual([220, 221]);
  });

  it('is read-only with a gap between its segments, and keeps them all [I8]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    for (let i = 0; i < 30; i++) await appendIds(log, Array.from({ length: 20 }, () => message(big)));
    await log.close();
    await fs.unlink(`${DIR}/log/${log.origin}/00000002.jsonl`);
    const again = await openLog(fs, DIR);
    expect(again.mode).toBe('readOnly');
    expect(again.findings[0]).toMatchObject({ kind: 'damage', segment: '00000002.jsonl' });
    expect((await fs.readdir(`${DIR}/log/${log.origin}`)).map((e) => e.name)).toEqual(['00000001.jsonl', '00000003.jsonl']);
  });

  it('erases for real right after opening and loses nothing that is written meanwhile [I1]', async () => {
    const fs = memoryFs();
    const first = await openLog(fs, DIR);
    await appendIds(first, Array.from({ length: 100 }, (_, i) => message(`secret ${i}`)));
    await appendIds(first, [named('stays')]);
    await first.close();
    const log = await openLog(fs, DIR);
    await appendIds(log, [erased(log.origin, 1, 101)]);
    const pause = log.erase();
    const during = await Promise.all(Array.from({ length: 50 }, (_, i) => appendIds(log, [message(`later ${i}`)])));
    expect(await pause).toEqual({ ok: true, value: undefined });
    const after = await appendIds(log, [message('after')]);
    expect(during.flat()).toHaveLength(50);
    const check = async (l: EventLog) => {
      const events = await list(l.readMerged());
      expect(events).toHaveLength(153);
      expect(events.slice(0, 100).every((e) => e.data === null && e.erasedBy !== undefined)).toBe(true);
      expect(events[100]?.data).toEqual({ name: 'stays' });
      expect(events.at(-1)?.id).toBe(after[0]);
      expect((await list(l.read(l.origin, 90, 95))).map((e) => e.seq)).toEqual([90, 91, 92, 93, 94, 95]);
    };
    await check(log);
    await log.close();
    const again = await openLog(fs, DIR);
    expect(again.findings).toEqual([]);
    await check(again);
    for (const e of await fs.readdir(`${DIR}/log/${log.origin}`)) expect(Buffer.from(await fs.readFile(`${DIR}/log/${log.origin}/${e.name}`)).includes('secret')).toBe(false);
  });

  it('takes unsynced checkpoints back when a later fsync fails, and goes on [I1] [F6]', async () => {
    const disk = memoryFs();
    const fs = failing(disk, { nth: 2, errno: 'EIO', times: 'once', only: (c) => c.name === 'file.datasync' && c.path.endsWith('.jsonl') });
    const log = await openLog(fs, DIR);
    let poisonedAt = -1;
    log.onPoisoned(() => (poisonedAt = log.head().count));
    const one = await appendIds(log, [message('one')]);
    expect(await appendIds(log, [checkpoint('half')], { durable: false })).toHaveLength(1);
    expect(log.head().count).toBe(2);
    expect(await appendIds(log, [message('two')])).toBe('log.io');
    expect(poisonedAt).toBe(1);
    const three = await appendIds(log, [message('three')]);
    expect(await textsOf(log)).toEqual(['one', 'three']);
    await log.close();
    const again = await openLog(disk, DIR);
    expect(again.findings).toEqual([]);
    expect(await idsOf(again)).toEqual([...one, ...three]);
  });

  it('works again once space is free, without a restart [case 51]', async () => {
    const disk = memoryFs();
    const fs = failing(disk, { nth: 2, errno: 'ENOSPC', times: 'ever', only: (c) => c.name === 'file.writeNow' || c.name === 'file.write' || (c.name === 'open' && String(c.args[1]).includes('w')) });
    const log = await openLog(disk, DIR);
    await log.close();
    const full = await openLog(fs, DIR);
    const ids: unknown[] = [];
    for (let i = 0; i < 6; i++) ids.push(await appendIds(full, [message(`m${i}`)]));
    expect(ids.filter((x) => x === 'log.full').length).toBeGreaterThanOrEqual(4);
    expect(full.mode).toBe('open');
    fs.heal();
    const last = await appendIds(full, [message('room again')]);
    expect(last).toHaveLength(1);
    await full.close();
    expect((await idsOf(await openLog(disk, DIR))).at(-1)).toBe(last[0]);
  });

  it('keeps the order of seq whatever the clock says [I10] [F9]', async () => {
    const fs = memoryFs();
    const clock = fixedClock();
    const log = await openLog(fs, DIR, { clock });
    const steps = [0, -10 * 365 * 86400e3, -3600e3, 3600e3, Date.UTC(2038, 0, 20) - Date.UTC(2026, 0, 1), 0, 0, 0];
    const ids: unknown[] = [];
    for (const step of steps) {
      clock.set(Date.UTC(2026, 0, 1) + step);
      ids.push(...(await appendIds(log, Array.from({ length: 100 }, () => message('x')))));
    }
    expect(await idsOf(log)).toEqual(ids);
    const events = await list(log.readMerged());
    expect(events.map((e) => e.lamport)).toEqual(events.map((_, i) => i + 1));
    await log.close();
    expect(await idsOf(await openLog(fs, DIR))).toEqual(ids);
  });

  it('begins a fresh origin on another machine and reads both in merge order [I2]', async () => {
    const fs = memoryFs();
    const here = await openLog(fs, DIR);
    await appendIds(here, [message('a'), message('b')]);
    await here.close();
    const there = await openLog(fs, DIR, { machine: 'm2', random: seeded(77) });
    expect(there.origin).not.toBe(here.origin);
    await appendIds(there, [message('c')]);
    const events = await list(there.readMerged());
    expect(events.map((e) => [e.type, e.lamport])).toEqual([['MessageSent', 1], ['MessageSent', 2], ['OriginStarted', 3], ['MessageSent', 4]]);
    expect(there.head().count).toBe(4);
  });

  it('refuses a log whose anchored line is another one [I8]', async () => {
    const fs = memoryFs();
    const log = await openLog(fs, DIR);
    await appendIds(log, Array.from({ length: 5 }, (_, i) => message(`m${i}`)));
    const h = log.head().hashes[log.origin]!;
    await appendIds(log, [message('last')]);
    await log.close();
    const good = await openLog(fs, DIR, { anchors: { [log.origin]: { seq: 5, h } } });
    expect([good.mode, good.findings]).toEqual(['open', []]);
    const forked = await openLog(fs, DIR, { anchors: { [log.origin]: { seq: 4, h } } });
    expect([forked.mode, forked.findings[0]?.kind]).toEqual(['readOnly', 'damage']);
    const short = await openLog(fs, DIR, { anchors: { [log.origin]: { seq: 9, h } } });
    expect(short.findings).toEqual([{ kind: 'missingEnd', origin: log.origin, lastSeq: 6, anchoredSeq: 9 }]);
  });
});
