import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { startFakeOpenAI, type Script } from '../support/fake-openai/server.ts';
import { heldFs } from '../support/fs/held.ts';
import { World, type Talk } from '../support/workbench/world.ts';

const held = heldFs(createNodeFs());
let world: World;
let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
let talk: Talk;
beforeEach(async () => {
  world = await World.open({ fs: held.fs });
  writeFileSync(join(world.work, 'a.md'), 'one\n');
});
afterEach(async () => {
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
async function again(): Promise<void> {
  await world.workbench.close();
  await world.start({ fs: held.fs });
}
const edit = { name: 'edit_file', args: { path: 'a.md', edits: [{ oldText: 'one', newText: 'two' }] } };
const told = (n: number) => fake.requests.at(n)!.body.messages.map((m) => ({ role: m.role, text: JSON.stringify(m.content ?? '') }));
const steps = (t: Talk) => t.last.process.flatMap((p) => (p.kind === 'activity' ? p.steps : []));

describe('the thread of a partner', () => {
  test('[WB-SESSION-007-B4] [WB-COMPOSER-013-AC2] each message keeps its own files, as paths; a picture is not looked at unasked', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    const path = join(world.base, 'dot.png');
    writeFileSync(path, png);
    await play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    const sent = await world.api.call['run.send']({ partner: talk.id, text: 'with a picture', attachments: [{ path, name: 'dot.png', size: png.length }] });
    if (!sent.ok) throw new Error(sent.error.code);
    await talk.ended(sent.value.run);
    await talk.ended(await talk.send('without'));
    const users = told(-1).filter((m) => m.role === 'user');
    expect(users.map((m) => m.text.includes(path))).toEqual([true, false]);
    expect(JSON.stringify(fake.requests)).not.toContain(png.toString('base64').slice(0, 40));
  });
  test('[WB-SESSION-007-AC4] belongs to it alone, also after a restart', async () => {
    await play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    const other = await world.partner('Ivy');
    await talk.ended(await talk.send('only for Maple 4711'));
    await other.ended(await other.send('for Ivy'));
    expect(JSON.stringify(fake.requests.at(-1)!.body)).not.toContain('4711');
    await again();
    const [maple, ivy] = [world.follow(talk.id), world.follow(other.id)];
    await ivy.ended(await ivy.send('again'));
    expect(JSON.stringify(fake.requests.at(-1)!.body)).not.toContain('4711');
    await maple.ended(await maple.send('again'));
    expect(told(-1).filter((m) => m.role === 'user').map((m) => m.text)).toEqual(['"only for Maple 4711"', '"again"']);
  });
  test('[WB-SESSION-007-AC6] a partner’s log goes with it and no other does', async () => {
    await play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    const other = await world.partner('Ivy');
    await talk.ended(await talk.send('words of Maple 4711'));
    await other.ended(await other.send('words of Ivy 4712'));
    expect(world.grep('words of Maple 4711')).not.toEqual([]);
    expect(await world.api.call['partner.delete']({ partner: talk.id })).toMatchObject({ ok: true });
    expect(world.grep('words of Maple 4711')).toEqual([]);
    expect(world.grep('words of Ivy 4712')).not.toEqual([]);
    expect(existsSync(join(world.data, 'partners', talk.id))).toBe(false);
    expect(readdirSync(join(world.data, 'partners'))).toEqual([other.id]);
  });
});

describe('what is shown of a run', () => {
  test('[WB-COMPOSER-003-B1] [WB-COMPOSER-003-B2] [WB-COMPOSER-003-AC2] the message comes first, then step after step as they happen', async () => {
    await play([{ steps: [{ text: 'I look' }, { tool: { name: 'read_file', args: { path: 'a.md' } } }] }, { when: { role: 'tool' }, steps: [{ text: 'one it is' }] }]);
    const seen: string[] = [];
    world.api.subscribe(`conversation:${talk.id}`, null, (data) => {
      const push = data as { kind: string; events?: { type: string }[] };
      if (push.kind === 'events') seen.push(...push.events!.map((e) => e.type));
    });
    await talk.ended(await talk.send('what is in a.md'));
    expect(seen.filter((t) => t !== 'UsageReported')).toEqual(['MessageSent', 'RunStarted', 'ThoughtRecorded', 'ToolCalled', 'ToolReturned', 'AnswerRecorded', 'RunCompleted']);
  });
  test('[WB-COMPOSER-003-AC7] [WB-COMPOSER-014-AC1] who comes back in the middle sees the same: steps, the question, the live text', async () => {
    await play([{ steps: [{ text: 'I change it' }, { tool: edit }] }, { when: { role: 'tool' }, steps: [{ text: 'half an ans' }, { hang: true }] }]);
    const run = await talk.send('go');
    await talk.asked();
    const back = world.follow(talk.id);
    expect(await back.asked()).toEqual(talk.last);
    await talk.decide('approve');
    await talk.live('half an ans');
    const later = world.follow(talk.id);
    await later.live('half an ans');
    expect(later.last).toMatchObject({ run, status: 'running', process: talk.last.process });
    await talk.stop();
  });
  test('[WB-COMPOSER-014-B1] [WB-COMPOSER-014-AC2] text before tools becomes a thought, text at the end the answer; neither stays a draft', async () => {
    await play([{ steps: [{ text: 'first I read' }, { tool: { name: 'read_file', args: { path: 'a.md' } } }] }, { when: { role: 'tool' }, steps: [{ text: 'it says one' }] }]);
    const turn = await talk.ended(await talk.send('go'));
    expect(turn.process.map((p) => [p.kind, p.kind === 'thought' ? p.text : null])).toEqual([['thought', 'first I read'], ['activity', null]]);
    expect(turn).toMatchObject({ answer: { text: 'it says one' }, draft: '' });
  });
  test('[WB-BLOCKER-001-B2] [WB-BLOCKER-001-AC7] decisions and guidance are in the log and come back after a restart', async () => {
    await play([{ steps: [{ tools: [edit, { name: 'create_file', args: { path: 'n.md', content: 'x' } }] }] }, { when: { role: 'tool' }, steps: [{ text: 'closed' }] }]);
    const run = await talk.send('go');
    await talk.asked();
    await talk.decide('approve', { guide: '换个名字' });
    await talk.ended(run);
    const before = steps(talk);
    expect(before.map((s) => s.decision)).toEqual([{ decision: 'approve', guidance: null }, { decision: 'guide', guidance: '换个名字' }]);
    await again();
    const back = world.follow(talk.id);
    await back.until((t) => t.endedAt !== null);
    expect(steps(back)).toEqual(before);
  });
  test('[WB-COMPOSER-006-B1] after a stop nothing new is taken until the tool that is at work has ended', async () => {
    await play([{ steps: [{ tool: { name: 'read_file', args: { path: 'a.md' } } }] }, { times: 'always', steps: [{ text: 'ok' }] }]);
    held.hold((path) => path.endsWith('a.md'));
    const run = await talk.send('go');
    await held.reached();
    const stopped = talk.stop();
    expect(await world.api.call['run.send']({ partner: talk.id, text: 'now this' })).toMatchObject({ ok: false, error: { code: 'run.stopping' } });
    held.release();
    await stopped;
    expect(await talk.ended(run)).toMatchObject({ status: 'stopped' });
    expect(await talk.ended(await talk.send('now this'))).toMatchObject({ status: 'completed' });
  });
});
