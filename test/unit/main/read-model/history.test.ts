import { describe, expect, it } from 'vitest';
import { draft, partnerEvents } from '#domain/events/index.ts';
import { newId } from '#main/ports/random.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { foldHistory } from '#test/support/fs/fold-history.ts';
import { openHistory } from '#main/read-model/history.ts';
import { failing, recording } from '#test/support/fs/faults.ts';
import { checkpoint, erased, message, named, openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

const DIR = '/data/partners/p1';

/** Turns of four events each, and a name at the start and in the middle. */
async function longLog(fs: FsPort, turns: number): Promise<void> {
  const log = await openLog(fs, DIR);
  const random = seeded(12);
  await log.append([named('first')]).durable;
  for (let i = 0; i < turns; i++) {
    const run = newId(random, 'run');
    const by = { actor: 'partner' as const, run };
    await log.append([
      message(`m${i}`, run), checkpoint('p', run), draft(partnerEvents.AnswerRecorded, { call: 1, text: { text: `a${i}` } }, by), draft(partnerEvents.RunCompleted, {}, by),
      ...(i === turns >> 1 ? [named('second')] : []),
    ]).durable;
  }
  await log.close();
}

describe('the read model of a long history', () => {
  it('shows the newest page and the tail before the index is built, and the same ones after', async () => {
    const fs = memoryFs();
    await longLog(fs, 1300);
    const log = await openLog(fs, DIR);
    const truth = await foldHistory(log);
    const history = await openHistory({ dir: DIR, log, fs });
    const early = await history.page({ limit: 20 });
    const tail = await history.tail();
    expect(early).toEqual(await truth.page({ limit: 20 }));
    expect(tail.map((e) => e.id)).toEqual((await truth.tail()).map((e) => e.id));
    expect((await history.facts()).name).toBe('second');
    expect(await history.page({ limit: 20 })).toEqual(early);
    expect((await history.tail()).map((e) => e.id)).toEqual(tail.map((e) => e.id));
    expect((await history.facts({ [log.origin]: 2000 })).name).toBe('first');
  });

  it('opens and goes back in time with as few reads at 8000 events as at 80', async () => {
    const cost = async (turns: number) => {
      const fs = memoryFs();
      await longLog(fs, turns);
      let log = await openLog(fs, DIR);
      await (await openHistory({ dir: DIR, log, fs })).facts().then(() => undefined);
      const built = await openHistory({ dir: DIR, log, fs });
      await built.facts();
      await built.close();
      await log.close();
      const watched = recording(fs);
      log = await openLog(watched, DIR);
      const history = await openHistory({ dir: DIR, log, fs: watched });
      await history.facts();
      await history.tail();
      await history.page({ limit: 20 });
      const opening = watched.calls.length;
      const asOf = { [log.origin]: Math.floor((log.head().moment[log.origin] ?? 0) / 2) };
      await history.facts(asOf);
      await history.page({ limit: 20, asOf });
      return { opening, past: watched.calls.length - opening };
    };
    const [small, large] = [await cost(20), await cost(2000)];
    expect(large.opening).toBeLessThanOrEqual(1.5 * small.opening + 10);
    expect(large.past).toBeLessThanOrEqual(2 * large.opening);
  });

  it('answers on a disk that takes nothing more [case 51]', async () => {
    const fs = memoryFs();
    await longLog(fs, 100);
    const log = await openLog(fs, DIR);
    const full = failing(fs, { nth: 1, errno: 'ENOSPC', times: 'ever', only: (c) => c.name === 'mkdir' || c.name === 'file.write' || (c.name === 'open' && String(c.args[1]).startsWith('w')) });
    const history = await openHistory({ dir: DIR, log, fs: full });
    const truth = await foldHistory(log);
    expect(await history.page({ limit: 7 })).toEqual(await truth.page({ limit: 7 }));
    expect(await history.facts()).toEqual(await truth.facts());
    const run = newId(seeded(9), 'run');
    const done = await log.append([message('more', run)]).durable;
    if (done.ok) history.note(done.value as never);
    expect((await history.turn(run))?.message.text).toBe('more');
    await history.close();
  });

  it('steps over thousands of erased turns, and shows none of them at any moment', async () => {
    const fs = memoryFs();
    await longLog(fs, 600);
    const log = await openLog(fs, DIR);
    const before = log.head().moment;
    await log.append([erased(log.origin, 1, 2300)]).durable;
    const history = await openHistory({ dir: DIR, log, fs });
    expect(await history.page({ limit: 1000 }).then((p) => [p.turns.length, p.older, p.turns[0]!.seq])).toEqual([25, false, 2303]);
    expect((await history.page({ limit: 1000, asOf: before })).turns).toHaveLength(25);
  });
});
