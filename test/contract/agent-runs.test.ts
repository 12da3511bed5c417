import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeOpenAI, type Script } from '../support/fake-openai/server.ts';
import { World, type Talk } from '../support/workbench/world.ts';

let world: World;
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let talk: Talk;
const put = (name: string, text: string) => writeFileSync(join(world.work, name), text);
const get = (name: string) => readFileSync(join(world.work, name), 'utf8');
const edit = (path: string, from: string, to: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: from, newText: to }] } });

beforeEach(async () => {
  world = await World.open();
  put('a.md', 'one\n');
  put('b.md', 'one\n');
  put('c.md', 'one\n');
});
afterEach(async () => {
  await world.close();
  await fake?.close();
});
async function play(turns: Script['turns'], policy: 'confirm' | 'direct' | 'readOnly' = 'confirm'): Promise<void> {
  fake = await startFakeOpenAI({ models: ['fake'], turns });
  await world.provider(fake.baseURL);
  await world.address(policy);
  talk = await world.partner();
}
const batch: Script['turns'] = [
  { steps: [{ text: 'three edits' }, { tools: ['a.md', 'b.md', 'c.md'].map((f) => edit(f, 'one', 'two')) }] },
  { when: { role: 'tool' }, steps: [{ text: 'closed' }] },
];

describe('a batch of approvals', () => {
  test('[WB-BLOCKER-001-AC1] all approved: all run, in order', async () => {
    await play(batch);
    const run = await talk.send('go');
    expect((await talk.asked()).waiting!.plans).toHaveLength(3);
    expect(get('a.md')).toBe('one\n');
    expect(await talk.decide('approve')).toMatchObject({ ok: true });
    expect((await talk.ended(run)).records.map((r) => r.path.split('/').at(-1))).toEqual(['a.md', 'b.md', 'c.md']);
    expect(get('c.md')).toBe('two\n');
  });
  test('[WB-BLOCKER-001-AC2] one rejected: none runs, and the model decides how to close', async () => {
    await play(batch);
    const run = await talk.send('go');
    await talk.asked();
    await talk.decide('approve', 'reject', 'approve');
    const turn = await talk.ended(run);
    expect(turn).toMatchObject({ status: 'completed', records: [], answer: { text: 'closed' } });
    expect(['a.md', 'b.md', 'c.md'].map(get)).toEqual(['one\n', 'one\n', 'one\n']);
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.state) : []))).toEqual(['cancelled', 'rejected', 'cancelled']);
  });
  test('[WB-BLOCKER-001-AC3] guidance reaches the model word for word and nothing runs', async () => {
    await play(batch);
    const run = await talk.send('go');
    await talk.asked();
    const words = '只改第一处，别动 b.md — “please”';
    await talk.decide('approve', { guide: words }, 'approve');
    await talk.ended(run);
    expect(JSON.stringify(fake.requests.at(-1)!.body)).toContain(JSON.stringify(words).slice(1, -1));
    expect(get('a.md')).toBe('one\n');
  });
  test('an answer counts once', async () => {
    await play(batch);
    await talk.send('go');
    const { waiting } = await talk.asked();
    const { call } = world.api;
    const decisions = waiting!.plans.map((p) => ({ call: p.call as string, decision: 'approve' as const }));
    const both = await Promise.all([call['approval.decide']({ partner: talk.id, batch: waiting!.batch, decisions }), call['approval.decide']({ partner: talk.id, batch: waiting!.batch, decisions })]);
    expect(both.map((r) => r.ok).sort()).toEqual([false, true]);
    expect(both.find((r) => !r.ok)).toMatchObject({ error: { code: 'approval.gone' } });
  });
  test('[case 29] what was approved is what runs: a file that changed since is left alone and the model is told', async () => {
    await play([{ steps: [{ tool: edit('a.md', 'one', 'two') }] }, { when: { role: 'tool' }, steps: [{ text: 'I see' }] }]);
    const run = await talk.send('go');
    await talk.asked();
    put('a.md', 'one\nmine\n');
    await talk.decide('approve');
    expect(await talk.ended(run)).toMatchObject({ records: [] });
    expect(get('a.md')).toBe('one\nmine\n');
    expect(JSON.stringify(fake.requests.at(-1)!.body)).toContain('change.stale');
  });
  test('[WB-COMPOSER-006-AC3] [WB-BLOCKER-001-AC4] it waits for ever, and a stop ends it', async () => {
    await play(batch);
    const run = await talk.send('go');
    await talk.asked();
    world.clock.advance(30 * 86_400_000);
    expect(talk.last.status).toBe('waiting');
    await talk.stop();
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped', records: [], waiting: null });
    expect(get('a.md')).toBe('one\n');
  });
  test('[WB-BLOCKER-001-AC5] full access asks nothing, records everything', async () => {
    await play(batch);
    const run = await talk.send('go', { permission: 'full' });
    const turn = await talk.ended(run);
    expect(turn.records).toHaveLength(3);
    expect(turn.permission).toBe('full');
  });
  test('[WB-BLOCKER-001-B3] full access never opens a read-only address or a sensitive file', async () => {
    await play([{ steps: [{ tools: [edit('a.md', 'one', 'two'), { name: 'read_file', args: { path: '.env' } }] }] }, { when: { role: 'tool' }, steps: [{ text: 'refused' }] }], 'readOnly');
    put('.env', 'SECRET=canary-4711');
    const turn = await talk.ended(await talk.send('go', { permission: 'full' }));
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []))).toEqual(['gate.readOnly', 'gate.sensitive']);
    expect(JSON.stringify(fake.requests)).not.toContain('canary-4711');
    expect(world.grep('canary-4711')).toEqual([]);
  });
  test('policy and permission are frozen when a run starts', async () => {
    await play(batch);
    const run = await talk.send('go');
    await talk.asked();
    const app = await world.api.call['app.view']({});
    await world.api.call['address.policy']({ address: (app.ok && app.value.addresses[0]!.id) as never, policy: 'readOnly' });
    await world.api.call['partner.permission']({ partner: talk.id, permission: 'full' });
    await talk.decide('approve');
    expect((await talk.ended(run)).records).toHaveLength(3);
    expect((await talk.ended(run)).permission).toBe('review');
  });
});

describe('several at once', () => {
  test('[WB-SESSION-008-B2] two partners run side by side and stay apart', async () => {
    await play([{ times: 2, when: { lastMessageIncludes: 'a' }, steps: [{ text: 'A', chunk: 1 }] }, { times: 2, when: { lastMessageIncludes: 'z' }, steps: [{ text: 'Z', chunk: 1 }] }]);
    const other = await world.partner('Ivy');
    const [one, two] = await Promise.all([talk.send('a'), other.send('z')]);
    expect((await talk.ended(one)).answer?.text).toBe('A');
    expect((await other.ended(two)).answer?.text).toBe('Z');
    expect(talk.turns).toHaveLength(1);
    expect(other.turns).toHaveLength(1);
  });
  test('[WB-COMPOSER-006-AC5] a second message while one runs is refused', async () => {
    await play([{ steps: [{ hang: true }] }]);
    await talk.send('one');
    expect(await world.api.call['run.send']({ partner: talk.id, text: 'two' })).toMatchObject({ ok: false, error: { code: 'run.busy' } });
    await talk.stop();
  });
});
