import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { appEvents, draft } from '#domain/events/index.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { interrupted } from '../support/changes/faults.ts';
import { World, type Talk } from '../support/workbench/world.ts';

const MINE = 'TODO one\nmine, saved in the gap\n';
let world: World;
let talk: Talk;
afterEach(() => world.close());
const notes = () => join(world.work, 'notes.md');
const read = () => readFileSync(notes(), 'utf8');

/** A change that is asked for and approved; `gap` happens right before its swap. */
async function changed(gap: () => void = () => undefined) {
  let once = false;
  const fs = interrupted(createNodeFs(), {
    before: (_call, name, args) => {
      if (name !== 'rename' || once || !String(args[1]).endsWith('/notes.md')) return;
      once = true;
      gap();
    },
  });
  world = await World.open({ fs });
  writeFileSync(notes(), 'TODO one\n');
  await world.address('confirm');
  talk = await world.partner();
  const run = await talk.send('replace TODO with DONE in notes.md');
  await talk.decide('approve');
  const turn = await talk.ended(run);
  return { run, record: turn.records.find((r) => r.path.endsWith('/notes.md'))! };
}
const now = (run: string) => talk.turns.find((t) => t.run === run)!.records.find((r) => r.path.endsWith('/notes.md'))!;

describe('[I4] [case 7] a save of the person that a change overtook', () => {
  test('is named in the record with its time, comes back byte for byte, and what stood there comes back too', async () => {
    const { run, record } = await changed(() => writeFileSync(notes(), MINE));
    expect(read()).toBe('DONE one\n');
    expect(record.kept).toMatchObject([{ back: false, state: { size: MINE.length } }]);
    expect(Date.parse(record.kept[0]!.at!)).toBeGreaterThan(0);
    const blob = record.kept[0]!.state.hash!;
    // It outlives the process, and the app knows it for that file too.
    await world.workbench.close();
    await world.start();
    talk = world.follow(talk.id);
    await talk.until((t) => t.run === run);
    expect(now(run).kept).toEqual(record.kept);
    const view = await world.api.call['app.view']({});
    expect(view.ok && view.value.kept).toMatchObject([{ path: record.path, blob, size: MINE.length }]);

    const restored = await world.api.call['change.restoreKept']({ partner: talk.id, run, record: record.record, blob });
    expect(restored).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(read()).toBe(MINE);
    await talk.until(() => now(run).state === 'reverted');
    expect(now(run).kept).toMatchObject([{ back: true }]);
    // Once is enough: it stands already.
    expect(await world.api.call['change.restoreKept']({ partner: talk.id, run, record: record.record, blob })).toMatchObject({ ok: true, value: { changed: 0 } });
    expect(await world.api.call['change.revert']({ partner: talk.id, run, record: record.record, undo: true })).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(read()).toBe('DONE one\n');
  });

  test('a file that was saved once more since is kept before it is replaced', async () => {
    const { run, record } = await changed(() => writeFileSync(notes(), MINE));
    writeFileSync(notes(), 'a third version\n');
    await world.api.call['change.restoreKept']({ partner: talk.id, run, record: record.record, blob: record.kept[0]!.state.hash! });
    expect(read()).toBe(MINE);
    await world.api.call['change.revert']({ partner: talk.id, run, record: record.record, undo: true });
    expect(read()).toBe('a third version\n');
  });

  test('a forced revert’s copy comes back by undoing that revert', async () => {
    const { run, record } = await changed();
    writeFileSync(notes(), MINE);
    expect(await world.api.call['change.revert']({ partner: talk.id, run, record: record.record })).toMatchObject({ ok: true, value: { conflicts: 1 } });
    await world.api.call['change.revert']({ partner: talk.id, run, record: record.record, force: true });
    await talk.until(() => now(run).kept.length === 1);
    expect(read()).toBe('TODO one\n');
    await world.api.call['change.restoreKept']({ partner: talk.id, run, record: record.record, blob: now(run).kept[0]!.state.hash! });
    expect(read()).toBe(MINE);
    await talk.until(() => now(run).state === 'live');
    expect(now(run).kept).toMatchObject([{ back: true }]);
  });

  test('a save that only the app’s own records name comes back too; bytes that nobody kept do not', async () => {
    const { run, record } = await changed();
    const stored = await world.workbench.blobs.put(Buffer.from(MINE));
    if (!stored.ok) throw new Error(stored.error.code);
    const restore = () => world.api.call['change.restoreKept']({ partner: talk.id, run, record: record.record, blob: stored.value });
    expect(await restore()).toMatchObject({ ok: false, error: { code: 'revert.noBytes' } });
    expect(read()).toBe('DONE one\n');
    await world.workbench.app.commit([draft(appEvents.BytesKept, { path: record.path, blob: stored.value, size: MINE.length, why: 'overtaken' }, { actor: 'host' })]);
    expect(await restore()).toMatchObject({ ok: true });
    expect(read()).toBe(MINE);
  });
});
