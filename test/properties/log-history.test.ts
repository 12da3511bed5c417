import { describe, expect, it } from 'vitest';
import type { PartnerEvent } from '#domain/events/index.ts';
import { includes, type Moment } from '#domain/moment.ts';
import { evolveFacts, NO_FACTS } from '#domain/partner/facts.ts';
import type { OriginId } from '#domain/ids.ts';
import type { EventLog } from '#main/log/types.ts';
import type { History } from '#main/partners/history.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { openHistory } from '#main/read-model/history.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import { failing } from '#test/support/fs/faults.ts';
import { openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';
import { Story } from '#test/support/fs/partner-story.ts';

const DIR = '/data/partners/p1';
const SEEDS = process.env['NIGHTLY'] ? 200 : 14;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of items) out.push(item);
  return out;
}

/** What every answer must equal: the fold of everything, less what was ever erased. */
async function checkAll(history: History, log: EventLog, random: ReturnType<typeof seeded>, label: string): Promise<void> {
  const events = (await all(log.readMerged())) as PartnerEvent[];
  const gone = events.flatMap((e) => (e.type === 'ContentErased' ? (e.data?.ranges ?? []) : []));
  const turnsOf = (list: readonly PartnerEvent[]) =>
    list.reduce((view, e) => conversation.project(view, e), conversation.initial).turns
      .filter((t) => !t.message.erased && !gone.some((g) => g.origin === t.origin && g.from <= t.seq && t.seq <= g.to));
  const origins = Object.entries(log.head().moment) as [OriginId, number][];
  const moments: (Moment | undefined)[] = [undefined, ...Array.from({ length: 4 }, () => Object.fromEntries(origins.map(([o, n]) => [o, random.below(n + 1)])) as Moment)];
  for (const asOf of moments) {
    const seen = asOf ? events.filter((e) => includes(asOf, e)) : events;
    const turns = turnsOf(seen);
    const at = `${label} as of ${JSON.stringify(asOf)}`;
    expect(await history.facts(asOf), at).toEqual(seen.reduce(evolveFacts, NO_FACTS));
    for (const before of [undefined, turns[random.below(turns.length + 1)]?.lamport]) {
      const limit = 1 + random.below(8);
      const older = turns.filter((t) => before === undefined || t.lamport < before);
      const page = await history.page({ limit, ...(before !== undefined ? { before } : {}), ...(asOf ? { asOf } : {}) });
      expect(page, `${at} before ${before} limit ${limit}`).toEqual({ turns: older.slice(-limit), older: older.length > limit });
    }
  }
  const turns = turnsOf(events);
  for (const t of turns.slice(-3)) expect(await history.turn(t.run), `${label} turn ${t.seq}`).toEqual(t);
  const changed = events.filter((e) => e.type === 'FileChanged' && !e.data?.reverts).reverse().map((e) => turns.find((t) => t.run === e.run));
  expect((await all(history.changedTurns())).map((t) => t.run), `${label} changed turns`).toEqual([...new Set(changed.flatMap((t) => t?.run ?? []))]);
  for (const e of events) {
    if (e.type !== 'FileChanged' || e.data === null) continue;
    const own = e.data.reverts ? null : (turns.find((t) => t.run === e.run) ?? null);
    if (own || random.below(4) === 0) expect((await history.turnOfChange(e.data.change))?.seq, `${label} change @${e.seq}`).toEqual(own?.seq);
  }
  const starts = events.filter((e, i) => e.type === 'MessageSent' && events.findIndex((x) => x.type === 'MessageSent' && x.run === e.run) === i);
  expect((await history.tail()).map((e) => e.id), `${label} tail`).toEqual(events.slice(events.indexOf(starts.at(-1)!) < 0 ? 0 : events.indexOf(starts.at(-1)!)).map((e) => e.id));
  const told = await all(history.turnEvents());
  expect(told.map((list) => list.map((e) => e.id)), `${label} turn events`).toEqual(starts.reverse().map((s) => events.filter((e) => e.run === s.run).map((e) => e.id)));
}

async function grow(log: EventLog, history: History, story: Story, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const done = await log.append(story.next(log.origin, log.head().moment[log.origin] ?? 0)).durable;
    if (!done.ok) throw new Error(done.error.code);
    story.take(done.value);
    history.note(done.value as PartnerEvent[]);
  }
}

async function deleteCache(fs: FsPort, path = `${DIR}/cache/history`): Promise<void> {
  for (const e of await fs.readdir(path)) await fs.unlink(`${path}/${e.name}`);
}

describe('the read model', () => {
  it('answers as the fold of the prefix does: kept, caught up, rebuilt, deleted, half written', { timeout: 120_000 }, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const fs = memoryFs();
      const random = seeded(seed);
      const story = new Story(random);
      let log = await openLog(fs, DIR, { random });
      let history = await openHistory({ dir: DIR, log, fs });
      await grow(log, history, story, 60);
      await checkAll(history, log, random, `seed ${seed}, growing`);
      await grow(log, history, story, 60);
      if (random.below(2)) await log.erase();
      await checkAll(history, log, random, `seed ${seed}, grown`);
      // A kill: neither is closed. What the index wrote stands at some earlier cut.
      log = await openLog(fs, DIR, { random });
      history = await openHistory({ dir: DIR, log, fs });
      await checkAll(history, log, random, `seed ${seed}, after a kill`);
      await grow(log, history, story, 30);
      await history.close();
      await log.close();
      log = await openLog(fs, DIR, { random });
      const unseen = await log.append(story.next(log.origin, 1)).durable;
      if (unseen.ok) story.take(unseen.value);
      history = await openHistory({ dir: DIR, log, fs });
      await checkAll(history, log, random, `seed ${seed}, caught up`);
      await history.close();
      await log.close();
      await deleteCache(fs);
      log = await openLog(fs, DIR, { random });
      history = await openHistory({ dir: DIR, log, fs });
      await checkAll(history, log, random, `seed ${seed}, without a cache`);
      await history.close();
      for (const e of await fs.readdir(`${DIR}/cache/history`)) {
        const file = await fs.open(`${DIR}/cache/history/${e.name}`, 'r+');
        const { size } = await file.stat();
        if (size > 0 && random.below(2)) await file.write(random.bytes(3), random.below(size));
        else if (size > 0) await file.truncate(random.below(size));
      }
      history = await openHistory({ dir: DIR, log, fs });
      await checkAll(history, log, random, `seed ${seed}, with a rotten cache`);
      // Another installation goes on, and this one again.
      await history.close();
      await log.close();
      for (const machine of ['m2', 'm3']) {
        log = await openLog(fs, DIR, { random, machine });
        history = await openHistory({ dir: DIR, log, fs });
        await grow(log, history, story, 40);
        await checkAll(history, log, random, `seed ${seed}, on ${machine}`);
        await history.close();
        await log.close();
      }
    }
  });

  it('goes back with the log when that is cut back', { timeout: 60_000 }, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const disk = memoryFs();
      const random = seeded(1000 + seed);
      const story = new Story(random);
      const fs = failing(disk, { nth: 3 + random.below(20), errno: 'EIO', times: 'once', only: (c) => c.name === 'file.datasync' && c.path.endsWith('.jsonl') });
      const log = await openLog(fs, DIR, { random });
      const history = await openHistory({ dir: DIR, log, fs: disk });
      for (let i = 0; i < 40; i++) {
        const durable = random.below(3) > 0;
        const done = await log.append(story.next(log.origin, log.head().moment[log.origin] ?? 0), { durable }).durable;
        if (!done.ok) continue;
        story.take(done.value);
        history.note(done.value as PartnerEvent[]);
        if (random.below(4) === 0) await history.facts();
      }
      await checkAll(history, log, random, `seed ${seed}`);
      await history.close();
      await log.close();
      const again = await openLog(disk, DIR, { random });
      const reopened = await openHistory({ dir: DIR, log: again, fs: disk });
      await checkAll(reopened, again, random, `seed ${seed}, again`);
    }
  });
});
