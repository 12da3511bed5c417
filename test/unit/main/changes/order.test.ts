import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fail } from '#domain/result.ts';
import { interrupted } from '#test/support/changes/faults.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { makeChanges, memoryBlobs, memoryJournal, request } from '#test/support/changes/stores.ts';
import { makeWorld, type World } from '#test/support/changes/world.ts';

const content = new TextEncoder().encode('new\n');
let world: World;
beforeEach(() => {
  world = makeWorld();
});
afterEach(() => world.clean());

/** Runs one change and returns what happened in which order, port, blobs and journal together. */
async function trace(op: 'write' | 'create', name: string): Promise<string[]> {
  const steps: string[] = [];
  const path = join(world.ws, name);
  const fs = interrupted(realFs(), { before: (_call, what, args) => void steps.push(`${what} ${String(args[0]).replace(/^.*\.curator-.*\.(tmp|keep)$/, '$1').replace(/^.*\//, '')}`) });
  const blobs = memoryBlobs();
  const journal = memoryJournal();
  const calm = makeChanges(world);
  const state = await calm.changes.inspect(path);
  const kit = makeChanges(world, {
    fs,
    blobs: { ...blobs, put: (bytes) => (steps.push('blob'), blobs.put(bytes)) },
    journal: { ...journal, planned: (change, run) => (steps.push('planned'), journal.planned(change, run)), changed: (done, run) => (steps.push('changed'), journal.changed(done, run)) },
  });
  expect((await kit.changes.apply(request(op, path, { content, expected: state.ok ? state.value : null }))).ok).toBe(true);
  return steps;
}

describe('[WB-APPLY-003-AC9] the order of a change', () => {
  it('flushes bytes before the swap and all names after it, and writes down the plan before anything', async () => {
    const steps = await trace('write', 'a.txt');
    const at = (step: string) => steps.findIndex((one) => one.startsWith(step));
    const last = (step: string) => steps.findLastIndex((one) => one.startsWith(step));
    const order = [last('blob'), at('planned'), at('file.write'), at('file.sync'), at('link'), at('rename tmp'), at('unlink keep'), at('syncDir'), at('changed')];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(steps.slice(at('link') + 1, at('rename tmp'))).toEqual([]);
  });
  it('flushes a new file before it gets its name, and never renames', async () => {
    const steps = await trace('create', 'new.txt');
    const at = (step: string) => steps.findIndex((one) => one.startsWith(step));
    const order = [at('blob'), at('planned'), at('file.sync'), at('link'), at('unlink tmp'), at('syncDir'), at('changed')];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(at('rename')).toBe(-1);
  });
});

describe('the journal', () => {
  it('touches nothing when the plan cannot be written down', async () => {
    const kit = makeChanges(world, { journal: { ...memoryJournal(), planned: async () => fail('log.poisoned') } });
    expect(await kit.changes.apply(request('create', join(world.ws, 'new.txt'), { content }))).toMatchObject({ error: { code: 'log.poisoned' } });
    expect(await kit.changes.inspect(join(world.ws, 'new.txt'))).toEqual({ ok: true, value: null });
  });
  it('says so when the change is done and could not be recorded, and the intent settles as applied', async () => {
    const journal = memoryJournal();
    const kit = makeChanges(world, { journal: { ...journal, changed: async () => fail('log.poisoned') } });
    expect(await kit.changes.apply(request('create', join(world.ws, 'new.txt'), { content }))).toMatchObject({ error: { code: 'change.unrecorded' } });
    expect(readFileSync(join(world.ws, 'new.txt'), 'utf8')).toBe('new\n');
    expect((await kit.changes.settle(journal.open()))[0]!.outcome).toBe('applied');
  });
});
