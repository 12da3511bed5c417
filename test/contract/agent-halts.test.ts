import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '#main/api/client.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { serve } from '#main/server/session.ts';
import { joinedPorts } from '#main/server/stream-port.ts';
import { answeringFor } from '#main/workbench/answering.ts';
import { startFakeOpenAI, type Script } from '../support/fake-openai/server.ts';
import { failing } from '../support/fs/faults.ts';
import { heldFs } from '../support/fs/held.ts';
import { World, type Talk } from '../support/workbench/world.ts';

const held = heldFs(createNodeFs());
let full = false;
const fs = failing(held.fs, { nth: 1, errno: 'ENOSPC', times: 'ever', only: (call) => full && /write/i.test(call.name) });
let world: World;
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let talk: Talk;
const get = (name: string) => readFileSync(join(world.work, name), 'utf8');
const edit = (path: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: 'one', newText: 'two' }] } });

beforeEach(async () => {
  full = false;
  world = await World.open({ fs });
  for (const name of ['a.md', 'b.md']) writeFileSync(join(world.work, name), 'one\n');
});
afterEach(async () => {
  full = false;
  held.release();
  await world.close();
  await fake.close();
});
async function play(turns: Script['turns'], policy: 'confirm' | 'direct' = 'confirm'): Promise<void> {
  fake = await startFakeOpenAI({ models: ['fake'], turns });
  await world.provider(fake.baseURL);
  await world.address(policy);
  talk = await world.partner();
}
const steps = () => talk.last.process.flatMap((p) => (p.kind === 'activity' ? p.steps : []));
const toldLast = () => JSON.stringify(fake.requests.at(-1)!.body);

describe('a stop', () => {
  test('[WB-COMPOSER-006-AC3] while the questions are being prepared: nothing is asked any more', async () => {
    await play([{ steps: [{ tools: [edit('a.md'), edit('b.md')] }] }]);
    held.hold((path) => path.endsWith('b.md'));
    const run = await talk.send('go');
    await held.reached();
    const stopped = talk.stop();
    await talk.until((t) => t.run === run);
    held.release();
    expect(await stopped).toMatchObject({ ok: true });
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped', waiting: null, records: [] });
    expect(steps().map((s) => s.state)).toEqual(['cancelled', 'cancelled']);
    const log = await world.api.call['log.read']({ partner: talk.id });
    expect(log.ok && log.value.map((e) => e.type)).not.toContain('ApprovalAsked');
    expect(get('a.md')).toBe('one\n');
  });
  test('[WB-COMPOSER-006-AC2] during a tool: what it had found by then is not taken for the whole', async () => {
    await play([{ steps: [{ tool: { name: 'search_text', args: { query: 'one' } } }] }, { steps: [{ text: 'ok' }] }]);
    held.hold((path) => path.endsWith('a.md'));
    const run = await talk.send('go');
    await held.reached();
    const stopped = talk.stop();
    held.release();
    await stopped;
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped' });
    expect(steps().map((s) => s.state)).toEqual(['cancelled']);
    await talk.ended(await talk.send('and now'));
    expect(toldLast()).toContain('stopped before this had finished');
    expect(fake.problems()).toEqual([]);
  });
  test('[WB-COMPOSER-006-AC6] [WB-COMPOSER-014-AC3] in the middle of the text: the model server sees us go, the half text stays a draft, also after a restart', async () => {
    await play([{ steps: [{ text: 'half an answer' }, { hang: true }] }, { steps: [{ text: 'ok' }] }]);
    const run = await talk.send('hi');
    await talk.live('half an answer');
    await talk.stop();
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped', answer: null, draft: 'half an answer' });
    await expect.poll(() => fake.requests[0]!.outcome).toBe('client-gone');
    await world.workbench.close();
    await world.start({ fs });
    const page = await world.api.call['conversation.page']({ partner: talk.id });
    expect(page.ok && page.value.turns[0]).toMatchObject({ status: 'stopped', draft: 'half an answer' });
    const again = world.follow(talk.id);
    await again.ended(await again.send('and now'));
    expect(toldLast()).not.toContain('half an answer');
  });
  test('[WB-COMPOSER-006-AC2] pressed while the message is still on its way to the disk counts', async () => {
    await play([{ steps: [{ hang: true }] }]);
    const { deps } = world.workbench.partners.all()[0]!;
    const modelFor = deps.modelFor.bind(deps);
    let reached = () => {};
    const inLine = new Promise<void>((done) => (reached = done));
    let goOn = () => {};
    const spy = vi.spyOn(deps, 'modelFor').mockImplementation(async (choice) => {
      reached();
      await new Promise<void>((done) => (goOn = done));
      return modelFor(choice);
    });
    const sending = talk.send('hi');
    await inLine;
    const stopping = talk.stop();
    await world.api.call.ping({});
    goOn();
    spy.mockRestore();
    const run = await sending;
    expect(await stopping).toEqual({ ok: true, value: { stopped: true } });
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped' });
  });
  test('[WB-SESSION-007-AC1] the app closing is no stop of the person: the run is interrupted and goes on with the next message', async () => {
    await play([{ steps: [{ text: 'half' }, { hang: true }] }, { steps: [{ text: 'went on' }] }]);
    await talk.send('start');
    await talk.live('half');
    const { id } = talk;
    await world.workbench.close();
    await world.start({ fs });
    const again = world.follow(id);
    expect(await again.until(() => true)).toMatchObject({ status: 'interrupted' });
    expect(await again.ended(await again.send('continue'))).toMatchObject({ status: 'completed' });
    expect(toldLast()).toContain('start');
  });
});

describe('two at once', () => {
  test('[WB-COMPOSER-006-AC5] of two messages sent in the same instant one runs and one is refused', async () => {
    await play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    const send = (text: string) => world.api.call['run.send']({ partner: talk.id, text });
    const { log } = world.workbench.partners.all()[0]!;
    const append = log.append.bind(log);
    let second: ReturnType<typeof send> | undefined;
    // The second comes when the first is decided and enqueued, but not yet on the disk: its run has not begun.
    vi.spyOn(log, 'append').mockImplementation((drafts, options) => {
      const appended = append(drafts, options);
      second ??= send('second');
      return { ...appended, durable: Promise.all([appended.durable, world.api.call.ping({}), world.api.call.ping({})]).then(([done]) => done) };
    });
    expect(await send('first')).toMatchObject({ ok: true });
    expect(await second).toMatchObject({ ok: false, error: { code: 'run.busy' } });
    expect(await talk.until((t) => t.endedAt !== null)).toMatchObject({ status: 'completed', message: { text: 'first' } });
    expect(talk.turns).toHaveLength(1);
    expect(fake.requests).toHaveLength(1);
  });
  test('[C-51] a process that a run started decides nothing and raises no right', async () => {
    await play([{ steps: [{ tool: edit('a.md') }] }, { when: { role: 'tool' }, steps: [{ text: 'ok' }] }]);
    const run = await talk.send('go');
    const { waiting } = await talk.asked();
    const [ours, theirs] = joinedPorts();
    serve(answeringFor(world.workbench), theirs, { channel: 'cli', admits: () => true });
    const inside = await connect(ours, undefined, true);
    if (!inside.ok) throw new Error(inside.error.code);
    const { call } = inside.value;
    const decisions = waiting!.plans.map((p) => ({ call: p.call as string, decision: 'approve' as const }));
    const refused = { ok: false, error: { code: 'rights.insideRun' } };
    expect(await call['approval.decide']({ partner: talk.id, batch: waiting!.batch, decisions })).toMatchObject(refused);
    expect(await call['partner.permission']({ partner: talk.id, permission: 'full' })).toMatchObject(refused);
    expect(await call['provider.add']({ name: 'x', baseUrl: 'https://x.test/v1', key: 'k', models: ['m'] })).toMatchObject(refused);
    expect(await call['address.add']({ path: world.base, policy: 'direct' })).toMatchObject(refused);
    expect(get('a.md')).toBe('one\n');
    await talk.decide('approve');
    await talk.ended(run);
    expect(get('a.md')).toBe('two\n');
  });
});

describe('a disk that fills up in the middle of a run', () => {
  test.each<[string, Script['turns'], string]>([
    ['under the streamed text', [{ steps: [{ text: 'half' }, { hang: true }] }], 'half'],
    ['under a tool’s result', [{ steps: [{ text: 'look' }, { tool: { name: 'search_text', args: { query: 'one' } } }] }], ''],
  ])('[case 51] %s: the run fails and says why, nothing earlier is lost, and it works again without a restart', async (_where, turns, draft) => {
    await play([{ steps: [{ text: 'first' }] }, ...turns, { times: 'always', steps: [{ text: 'again' }] }]);
    await talk.ended(await talk.send('before'));
    if (!draft) held.hold((path) => path.endsWith('a.md'));
    const run = await talk.send('go');
    if (draft) {
      await talk.live(draft);
      full = true;
      // Whoever writes next finds the disk full; the run of the same log falls with it.
      expect(await world.api.call['partner.rename']({ partner: talk.id, name: 'Oak' })).toMatchObject({ ok: false, error: { code: 'log.full' } });
    } else {
      await held.reached();
      full = true;
      held.release();
    }
    await expect.poll(async () => (await world.api.call['partners.list']({})).ok && world.workbench.partners.list()[0]!.activity).toBe('idle');
    expect(await world.api.call['run.send']({ partner: talk.id, text: 'still full' })).toMatchObject({ ok: false, error: { code: 'log.full' } });
    full = false;
    await talk.ended(await talk.send('after'));
    const page = await world.api.call['conversation.page']({ partner: talk.id });
    const turnsNow = page.ok ? page.value.turns : [];
    expect(turnsNow.map((t) => [t.message.text, t.status])).toEqual([['before', 'completed'], ['go', 'failed'], ['after', 'completed']]);
    expect(turnsNow[1]).toMatchObject({ run, failure: { code: 'log.full' } });
    expect(fake.problems()).toEqual([]);
  });  test('[case 51] full for one moment only: the run still failed, it was not stopped', async () => {
    await play([{ steps: [{ text: 'half' }, { hang: true }] }, { steps: [{ text: 'again' }] }]);
    const run = await talk.send('go');
    await talk.live('half');
    full = true;
    const renamed = world.api.call['partner.rename']({ partner: talk.id, name: 'Oak' });
    world.workbench.partners.all()[0]!.log.onPoisoned(() => (full = false));
    expect(await renamed).toMatchObject({ ok: false, error: { code: 'log.full' } });
    expect(await talk.ended(run)).toMatchObject({ status: 'failed', failure: { code: 'log.full' } });
    expect(await talk.ended(await talk.send('after'))).toMatchObject({ status: 'completed' });
  });  test('[case 51] full for one moment while a question stands: the run failed, and nobody is said to have stopped it', async () => {
    await play([{ steps: [{ tool: edit('a.md') }] }, { when: { lastMessageIncludes: 'after' }, steps: [{ text: 'again' }] }]);
    const run = await talk.send('go');
    await talk.asked();
    full = true;
    world.workbench.partners.all()[0]!.log.onPoisoned(() => (full = false));
    expect(await world.api.call['partner.rename']({ partner: talk.id, name: 'Oak' })).toMatchObject({ ok: false, error: { code: 'log.full' } });
    expect(await talk.ended(run)).toMatchObject({ status: 'failed', failure: { code: 'log.full' }, waiting: null });
    const log = await world.api.call['log.read']({ partner: talk.id });
    expect(log.ok && log.value.map((e) => e.type)).not.toContain('ToolReturned');
    expect(await talk.ended(await talk.send('after'))).toMatchObject({ status: 'completed' });
    expect(fake.problems()).toEqual([]);
  });
});
