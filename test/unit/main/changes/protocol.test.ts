import { createHash } from 'node:crypto';
import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Change } from '#domain/events/index.ts';
import type { Hash, RunId } from '#domain/ids.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { makeChanges, memoryJournal, request } from '#test/support/changes/stores.ts';
import { codeOf, eachWorld, stateNow } from '#test/support/changes/each-world.ts';

const each = eachWorld();
const { at } = each;


const text = (value: string) => new TextEncoder().encode(value);

const leftovers = () => readdirSync(each.world.ws, { recursive: true }).filter((name) => String(name).includes('.curator-'));

describe('writing', () => {
  it('[WB-APPLY-002-B1] plans, swaps whole, records, leaves nothing behind', async () => {
    const kit = makeChanges(each.world);
    chmodSync(at('a.txt'), 0o640);
    const done = await kit.changes.apply(request('write', at('a.txt'), { content: text('new\n'), expected: await stateNow(kit, at('a.txt')) }));
    expect(done).toMatchObject({ ok: true, value: { change: { added: 1, removed: 1 } } });
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('new\n');
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o640);
    expect(kit.journal.entries.map((one) => one.what)).toEqual(['planned', 'changed']);
    expect(Buffer.from(kit.blobs.all.get(kit.journal.entries[0]!.data!.before!.hash!)!).toString()).toBe('plain\n');
    expect(leftovers()).toEqual([]);
  });
  it('[WB-APPLY-003-B1] counts lines against the first touch of the run', async () => {
    const kit = makeChanges(each.world);
    const first = (await stateNow(kit, at('a.txt')))!;
    await kit.changes.apply(request('write', at('a.txt'), { content: text('one\n'), expected: first }));
    const back = await kit.changes.apply(request('write', at('a.txt'), { content: text('plain\n'), expected: await stateNow(kit, at('a.txt')), baseline: first.hash }));
    expect(back).toMatchObject({ value: { change: { added: 0, removed: 0 } } });
  });
  it('[case 29] refuses a file that moved on, and touches nothing', async () => {
    const kit = makeChanges(each.world);
    const seen = await stateNow(kit, at('a.txt'));
    writeFileSync(at('a.txt'), 'v2 by the person\n');
    expect(codeOf(await kit.changes.apply(request('write', at('a.txt'), { content: text('ai\n'), expected: seen })))).toBe('change.stale');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('v2 by the person\n');
    expect(kit.journal.entries).toEqual([]);
  });
  it('[C-23] refuses a new file where one stands, also when it appears at the last moment', async () => {
    const kit = makeChanges(each.world);
    expect(codeOf(await kit.changes.apply(request('create', at('a.txt'), { content: text('x') })))).toBe('change.exists');
    const real = realFs();
    const racing: FsPort = { ...real, link: async (from, to) => (writeFileSync(at('late.txt'), 'theirs'), real.link(from, to)) };
    const late = makeChanges(each.world, { fs: racing });
    expect(codeOf(await late.changes.apply(request('create', at('late.txt'), { content: text('ours') })))).toBe('change.exists');
    expect(readFileSync(at('late.txt'), 'utf8')).toBe('theirs');
    expect(leftovers()).toEqual([]);
  });
  it('[case 33] refuses a link as the last part, dangling or not', async () => {
    const kit = makeChanges(each.world);
    symlinkSync(join(each.world.out, 'canary.txt'), at('notes.md'));
    symlinkSync(join(each.world.out, 'new.txt'), at('other.md'));
    for (const name of ['notes.md', 'other.md'])
      for (const op of ['write', 'create'] as const) expect(codeOf(await kit.changes.apply(request(op, at(name), { content: text('x') })))).toBe('change.link');
    expect(existsSync(join(each.world.out, 'new.txt'))).toBe(false);
    expect(readFileSync(join(each.world.out, 'canary.txt'), 'utf8')).toBe(each.world.canary);
  });
  it('[WA-POLICY-03] notices that the parent was swapped for a link', async () => {
    const kit = makeChanges(each.world);
    const expected = await stateNow(kit, at('src/main.cpp'));
    renameSync(at('src'), at('src2'));
    symlinkSync(each.world.out, at('src'));
    expect(codeOf(await kit.changes.apply(request('write', at('src/main.cpp'), { content: text('x'), expected })))).toBe('change.swapped');
    expect(codeOf(await kit.changes.apply(request('create', at('src/new.txt'), { content: text('x') })))).toBe('change.swapped');
    expect(existsSync(join(each.world.out, 'new.txt'))).toBe(false);
  });
  it('keeps hard-link twins together', async () => {
    const kit = makeChanges(each.world);
    linkSync(at('a.txt'), at('twin.txt'));
    await kit.changes.apply(request('write', at('a.txt'), { content: text('both\n'), expected: await stateNow(kit, at('a.txt')) }));
    expect(readFileSync(at('twin.txt'), 'utf8')).toBe('both\n');
    expect(statSync(at('a.txt')).nlink).toBe(2);
  });
  for (const op of ['write', 'trash', 'revert'] as const)
    it(`[case 29] ${op}: a save after the plan was written down stays where it is`, async () => {
      const journal = memoryJournal();
      const saving = { ...journal, planned: (change: Change, run: RunId | null) => (writeFileSync(at('a.txt'), 'saved meanwhile\n'), journal.planned(change, run)) };
      const kit = makeChanges(each.world, { journal: saving });
      const state = await stateNow(kit, at('a.txt'));
      await kit.blobs.put(text('older\n'));
      const older = { ...state!, hash: createHash('sha256').update('older\n').digest('hex') as Hash };
      expect(codeOf(await kit.changes.apply(request(op, at('a.txt'), { content: text('ai\n'), restore: older, expected: state })))).toBe('change.stale');
      expect(readFileSync(at('a.txt'), 'utf8')).toBe('saved meanwhile\n');
      expect(journal.entries.map((one) => one.what)).toEqual(['planned', 'failed']);
      expect(leftovers()).toEqual([]);
    });
  it('keeps a save that came in the gap, and tells', async () => {
    const real = realFs();
    const racing: FsPort = { ...real, rename: async (from, to) => (to.endsWith('a.txt') && writeFileSync(at('a.txt'), 'saved in the gap\n'), real.rename(from, to)) };
    const kit = makeChanges(each.world, { fs: racing });
    const done = await kit.changes.apply(request('write', at('a.txt'), { content: text('ai\n'), expected: await stateNow(kit, at('a.txt')) }));
    expect(done.ok && Buffer.from(kit.blobs.all.get(done.value.overtaken!.hash!)!).toString()).toBe('saved in the gap\n');
    expect(kit.journal.entries[1]!.data!.overtaken).toBeDefined();
    expect(leftovers()).toEqual([]);
  });
  it('works on a disk without hard links', async () => {
    const noLinks: FsPort = { ...realFs(), link: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })) };
    const kit = makeChanges(each.world, { fs: noLinks });
    expect(codeOf(await kit.changes.apply(request('write', at('a.txt'), { content: text('x'), expected: await stateNow(kit, at('a.txt')) })))).toBe('ok');
    expect(codeOf(await kit.changes.apply(request('create', at('b.txt'), { content: text('y') })))).toBe('ok');
    expect(codeOf(await kit.changes.apply(request('create', at('b.txt'), { content: text('z') })))).toBe('change.exists');
    expect(codeOf(await kit.changes.apply(request('move', at('b.txt'), { to: at('docs/b.txt'), expected: await stateNow(kit, at('b.txt')) })))).toBe('ok');
    expect([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('docs/b.txt'), 'utf8')]).toEqual(['x', 'y']);
    expect(leftovers()).toEqual([]);
  });
  it('works without folder handles', async () => {
    const kit = makeChanges(each.world, { handles: false });
    expect(codeOf(await kit.changes.apply(request('write', at('src/main.cpp'), { content: text('x'), expected: await stateNow(kit, at('src/main.cpp')) })))).toBe('ok');
    symlinkSync('src', at('srclink'));
    expect(codeOf(await kit.changes.apply(request('create', at('srclink/new.txt'), { content: text('x') })))).toBe('change.swapped');
  });
  it('respects a file that the person closed to writing', async () => {
    const kit = makeChanges(each.world);
    chmodSync(at('a.txt'), 0o444);
    expect(codeOf(await kit.changes.apply(request('write', at('a.txt'), { content: text('x'), expected: await stateNow(kit, at('a.txt')) })))).toBe('change.readOnly');
  });
  for (const [times, outcome] of [[3, 'ok'], [Infinity, 'change.inUse']] as const)
    it(`[case 37] waits for a held file: ${outcome} after ${times} refusals, with the original whole and no temp`, async () => {
      const real = realFs();
      let refusals = 0;
      const held: FsPort = { ...real, rename: async (from, to) => (refusals++ < times ? Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' })) : real.rename(from, to)) };
      const kit = makeChanges(each.world, { fs: held });
      expect(codeOf(await kit.changes.apply(request('write', at('a.txt'), { content: text('x'), expected: await stateNow(kit, at('a.txt')) })))).toBe(outcome);
      expect(readFileSync(at('a.txt'), 'utf8')).toBe(outcome === 'ok' ? 'x' : 'plain\n');
      expect(leftovers()).toEqual([]);
      expect(kit.journal.entries.at(-1)!.what).toBe(outcome === 'ok' ? 'changed' : 'failed');
      const later = makeChanges(each.world);
      expect(codeOf(await later.changes.apply(request('write', at('a.txt'), { content: text('y'), expected: await stateNow(later, at('a.txt')) })))).toBe('ok');
    });
});
