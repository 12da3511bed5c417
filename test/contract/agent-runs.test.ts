import { describe, expect, test } from 'vitest';
import type { Script } from '../support/fake-openai/server.ts';
import { stage } from '../support/workbench/stage.ts';

const on = stage(['a.md', 'b.md', 'c.md'], 'confirm');

const edit = (path: string, from: string, to: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: from, newText: to }] } });
const batch: Script['turns'] = [
  { steps: [{ text: 'three edits' }, { tools: ['a.md', 'b.md', 'c.md'].map((f) => edit(f, 'one', 'two')) }] },
  { when: { role: 'tool' }, steps: [{ text: 'closed' }] },
];

describe('a batch of approvals', () => {
  test('[WB-BLOCKER-001-AC1] all approved: all run, in order', async () => {
    await on.play(batch);
    const run = await on.talk.send('go');
    expect((await on.talk.asked()).waiting!.plans).toHaveLength(3);
    expect(on.get('a.md')).toBe('one\n');
    expect(await on.talk.decide('approve')).toMatchObject({ ok: true });
    expect((await on.talk.ended(run)).records.map((r) => r.path.split('/').at(-1))).toEqual(['a.md', 'b.md', 'c.md']);
    expect(on.get('c.md')).toBe('two\n');
  });
  test('[WB-BLOCKER-001-AC2] one rejected: none runs, and the model decides how to close', async () => {
    await on.play(batch);
    const run = await on.talk.send('go');
    await on.talk.asked();
    await on.talk.decide('approve', 'reject', 'approve');
    const turn = await on.talk.ended(run);
    expect(turn).toMatchObject({ status: 'completed', records: [], answer: { text: 'closed' } });
    expect(['a.md', 'b.md', 'c.md'].map(on.get)).toEqual(['one\n', 'one\n', 'one\n']);
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.state) : []))).toEqual(['cancelled', 'rejected', 'cancelled']);
  });
  test('[WB-BLOCKER-001-AC3] guidance reaches the model word for word and nothing runs', async () => {
    await on.play(batch);
    const run = await on.talk.send('go');
    await on.talk.asked();
    const words = '只改第一处，别动 b.md — “please”';
    await on.talk.decide('approve', { guide: words }, 'approve');
    await on.talk.ended(run);
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).toContain(JSON.stringify(words).slice(1, -1));
    expect(on.get('a.md')).toBe('one\n');
  });
  test('an answer counts once', async () => {
    await on.play(batch);
    await on.talk.send('go');
    const { waiting } = await on.talk.asked();
    const { call } = on.world.api;
    const decisions = waiting!.plans.map((p) => ({ call: p.call as string, decision: 'approve' as const }));
    const both = await Promise.all([call['approval.decide']({ partner: on.talk.id, batch: waiting!.batch, decisions }), call['approval.decide']({ partner: on.talk.id, batch: waiting!.batch, decisions })]);
    expect(both.map((r) => r.ok).sort()).toEqual([false, true]);
    expect(both.find((r) => !r.ok)).toMatchObject({ error: { code: 'approval.gone' } });
  });
  test('[case 29] what was approved is what runs: a file that changed since is left alone and the model is told', async () => {
    await on.play([{ steps: [{ tool: edit('a.md', 'one', 'two') }] }, { when: { role: 'tool' }, steps: [{ text: 'I see' }] }]);
    const run = await on.talk.send('go');
    await on.talk.asked();
    on.put('a.md', 'one\nmine\n');
    await on.talk.decide('approve');
    expect(await on.talk.ended(run)).toMatchObject({ records: [] });
    expect(on.get('a.md')).toBe('one\nmine\n');
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).toContain('change.stale');
  });
  test('[WB-COMPOSER-006-AC3] [WB-BLOCKER-001-AC4] it waits for ever, and a stop ends it', async () => {
    await on.play(batch);
    const run = await on.talk.send('go');
    await on.talk.asked();
    on.world.clock.advance(30 * 86_400_000);
    expect(on.talk.last.status).toBe('waiting');
    await on.talk.stop();
    expect(await on.talk.ended(run)).toMatchObject({ status: 'stopped', records: [], waiting: null });
    expect(on.get('a.md')).toBe('one\n');
  });
  test('[WB-BLOCKER-001-AC5] full access asks nothing, records everything', async () => {
    await on.play(batch);
    const run = await on.talk.send('go', { permission: 'full' });
    const turn = await on.talk.ended(run);
    expect(turn.records).toHaveLength(3);
    expect(turn.permission).toBe('full');
  });
  test('[WB-BLOCKER-001-B3] full access never opens a read-only address or a sensitive file', async () => {
    await on.play([{ steps: [{ tools: [edit('a.md', 'one', 'two'), { name: 'read_file', args: { path: '.env' } }] }] }, { when: { role: 'tool' }, steps: [{ text: 'refused' }] }], 'readOnly');
    on.put('.env', 'SECRET=canary-4711');
    const turn = await on.talk.ended(await on.talk.send('go', { permission: 'full' }));
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []))).toEqual(['gate.readOnly', 'gate.sensitive']);
    expect(JSON.stringify(on.fake.requests)).not.toContain('canary-4711');
    expect(on.world.grep('canary-4711')).toEqual([]);
  });
  test('policy and permission are frozen when a run starts', async () => {
    await on.play(batch);
    const run = await on.talk.send('go');
    await on.talk.asked();
    const app = await on.world.api.call['app.view']({});
    await on.world.api.call['address.policy']({ address: (app.ok && app.value.addresses[0]!.id) as never, policy: 'readOnly' });
    await on.world.api.call['partner.permission']({ partner: on.talk.id, permission: 'full' });
    await on.talk.decide('approve');
    expect((await on.talk.ended(run)).records).toHaveLength(3);
    expect((await on.talk.ended(run)).permission).toBe('review');
  });
});

describe('several at once', () => {
  test('[WB-SESSION-008-B2] two partners run side by side and stay apart', async () => {
    await on.play([{ times: 2, when: { lastMessageIncludes: 'a' }, steps: [{ text: 'A', chunk: 1 }] }, { times: 2, when: { lastMessageIncludes: 'z' }, steps: [{ text: 'Z', chunk: 1 }] }]);
    const other = await on.world.partner('Ivy');
    const [one, two] = await Promise.all([on.talk.send('a'), other.send('z')]);
    expect((await on.talk.ended(one)).answer?.text).toBe('A');
    expect((await other.ended(two)).answer?.text).toBe('Z');
    expect(on.talk.turns).toHaveLength(1);
    expect(other.turns).toHaveLength(1);
  });
  test('[WB-COMPOSER-006-AC5] a second message while one runs is refused', async () => {
    await on.play([{ steps: [{ hang: true }] }]);
    await on.talk.send('one');
    expect(await on.world.api.call['run.send']({ partner: on.talk.id, text: 'two' })).toMatchObject({ ok: false, error: { code: 'run.busy' } });
    await on.talk.stop();
  });
});
