import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';
import { World, type Talk } from '../support/workbench/world.ts';

let world: World;
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let talk: Talk;
const at = (name: string) => join(world.work, name);
const steps = () => talk.last.process.flatMap((p) => (p.kind === 'activity' ? p.steps : []));

/** In an address that is written directly, only the trashing in the middle asks. */
beforeEach(async () => {
  world = await World.open();
  for (const name of ['a.md', 'b.md', 'c.md']) writeFileSync(at(name), 'one\n');
  const edit = (path: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: 'one', newText: 'two' }] } });
  fake = await startFakeOpenAI({
    models: ['fake'],
    turns: [
      { steps: [{ tools: [edit('a.md'), { name: 'trash_file', args: { path: 'b.md' } }, { name: 'read_file', args: { path: 'c.md' } }, edit('c.md')] }] },
      { when: { role: 'tool' }, steps: [{ text: 'closed' }] },
    ],
  });
  await world.provider(fake.baseURL);
  await world.address('direct');
  talk = await world.partner();
});
afterEach(async () => {
  await world.close();
  await fake.close();
});

describe('a reply in which only one call asks', () => {
  test('[WB-BLOCKER-001-AC1] what changes something and comes after it waits with it; what only looks does not', async () => {
    const run = await talk.send('go');
    expect((await talk.asked()).waiting!.plans.map((p) => p.op)).toEqual(['trash']);
    expect([readFileSync(at('a.md'), 'utf8'), existsSync(at('b.md')), readFileSync(at('c.md'), 'utf8')]).toEqual(['two\n', true, 'one\n']);
    expect(steps().map((s) => s.state)).toEqual(['ok', 'waiting', 'ok', 'running']);
    await talk.decide('approve');
    const turn = await talk.ended(run);
    expect([readFileSync(at('a.md'), 'utf8'), existsSync(at('b.md')), readFileSync(at('c.md'), 'utf8')]).toEqual(['two\n', false, 'two\n']);
    expect(turn.records.map((r) => r.path.split('/').at(-1))).toEqual(['a.md', 'b.md', 'c.md']);
    expect(fake.problems()).toEqual([]);
  });
  test.each<['reject' | { guide: string }, string]>([['reject', 'rejected'], [{ guide: 'leave it' }, 'rejected']])('[WB-BLOCKER-001-AC2] after a no (%j) nothing that waited runs', async (no, state) => {
    const run = await talk.send('go');
    await talk.asked();
    await talk.decide(no);
    const turn = await talk.ended(run);
    expect([existsSync(at('b.md')), readFileSync(at('c.md'), 'utf8')]).toEqual([true, 'one\n']);
    expect(steps().map((s) => s.state)).toEqual(['ok', state, 'ok', 'cancelled']);
    expect(turn.records.map((r) => r.path.split('/').at(-1))).toEqual(['a.md']);
    expect(fake.problems()).toEqual([]);
  });
});
