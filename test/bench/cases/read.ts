import { createHash } from 'node:crypto';
import type { PartnerEvent } from '../../../domain/events/index.ts';
import { evolve, NEW_PARTNER } from '../../../domain/partner/state.ts';
import { createNodeFs } from '../../../main/fs/node-fs.ts';
import { verifyLog } from '../../../main/log/verify.ts';
import { openHistory } from '../../../main/read-model/history.ts';
import { stateOf } from '../../../main/partners/state-of.ts';
import { bytesOf, history, open, seeded } from '../data.ts';
import { measured, type Contender } from '../harness.ts';

const fs = createNodeFs();

/** (b) rebuild, (c) opening and past moments, (e) verification. */
export async function read(quick: boolean): Promise<void> {
  const small = await history(10_000);
  const medium = quick ? small : await history(100_000);
  const large = quick ? medium : await history(1_000_000);
  const rounds = quick ? 3 : 7;

  const bytes = bytesOf(medium);
  const array = '[' + bytes.toString('utf8').trimEnd().replaceAll('\n', ',') + ']';
  const replay = (dir: string): Contender => ({
    async run() {
      const log = await open(dir);
      let state = NEW_PARTNER;
      for await (const batch of log.readBatches()) for (const event of batch) state = evolve(state, event as PartnerEvent);
      if (!state.facts.created) throw new Error('not folded');
      await log.close();
    },
  });
  await measured([{ id: 'rebuild', text: `full replay of ${quick ? '10k' : '100k'} events beside JSON.parse of the same bytes`, product: 'product', peer: 'JSON.parse', max: 2.7 }], { product: replay(medium), 'JSON.parse': { run: () => JSON.parse(array) } }, rounds);

  /** What switching to a partner costs: log, read model, state, first page. */
  const opening = (dir: string): Contender => ({
    async run() {
      const log = await open(dir);
      const model = await openHistory({ dir, log, fs });
      await stateOf(model);
      const page = await model.page({ limit: 20 });
      if (page.turns.length !== 20) throw new Error(`page of ${page.turns.length}`);
      await model.close();
      await log.close();
    },
  });
  for (const dir of new Set([small, medium, large])) {
    // The index is built once, off the clock: opening is what comes after.
    const log = await open(dir);
    const model = await openHistory({ dir, log, fs });
    await model.turn('run_none' as never);
    await model.close();
    await log.close();
  }
  await measured([{ id: 'open.growth', text: `opening ${quick ? '10,000' : '1,000,000'} events beside 10,000`, product: 'large', peer: 'small', max: 1.5 }], { small: opening(small), large: opening(large) }, quick ? 5 : 15);
  await measured([{ id: 'open.replay', text: 'opening beside replaying the same partner', product: 'open', peer: 'replay', max: 1 / 40 }], { open: opening(large), replay: replay(large) }, quick ? 3 : 5);

  const random = seeded(9);
  const past = (dir: string): Contender => ({
    async run() {
      const log = await open(dir);
      const model = await openHistory({ dir, log, fs });
      const head = log.head().moment[log.origin] ?? 0;
      const asOf = { [log.origin]: Math.floor(head * (0.1 + 0.8 * random())) } as never;
      await model.facts(asOf);
      const page = await model.page({ limit: 20, asOf });
      if (page.turns.length !== 20) throw new Error(`page of ${page.turns.length}`);
      await model.close();
      await log.close();
    },
  });
  await measured([{ id: 'as-of', text: 'a past moment beside opening now', product: 'past', peer: 'now', max: 2 }], { past: past(large), now: opening(large) }, quick ? 5 : 15);

  const check = (mode: 'full' | 'quick'): Contender => ({
    async run() {
      const done = await verifyLog({ fs, dir: medium }, mode);
      if (!done.ok || done.value.problems.length > 0) throw new Error(JSON.stringify(done));
    },
  });
  await measured([
    { id: 'verify.full', text: 'verify beside sha256 of the same bytes', product: 'full', peer: 'sha256', max: 4.5 },
    { id: 'verify.quick', text: 'quick verify beside sha256 of the same bytes', product: 'quick', peer: 'sha256', max: 1.5 },
  ], { full: check('full'), quick: check('quick'), sha256: { run: () => createHash('sha256').update(bytes).digest() } }, rounds);
}
