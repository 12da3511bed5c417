import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PartnerId } from '#domain/ids.ts';
import { startFakeOpenAI, type FakeOpenAI, type Turn } from '../support/fake-openai/server.ts';
import { Cli, type Json } from '../support/cli/cli.ts';
import { furnish } from '../support/cli/inside.ts';

// Nothing runs beside these: each command takes the folder's lock itself.
let cli: Cli;
let fake: FakeOpenAI;
let maple: PartnerId;
const note = () => readFileSync(join(cli.work, 'note.md'), 'utf8');
beforeEach(async () => {
  cli = new Cli();
  writeFileSync(join(cli.work, 'note.md'), 'TODO\n');
  fake = await startFakeOpenAI();
  maple = await furnish(cli, 'confirm', fake.baseURL);
});
afterEach(async () => {
  await cli.close();
  await fake.close();
});

const edit: Turn = { steps: [{ text: 'I change it.' }, { tool: { name: 'write_file', args: { path: 'note.md', content: 'DONE\n' } } }] };
const answer = (text: string): Turn => ({ when: { role: 'tool' }, steps: [{ text }] });
const send = (...more: string[]) => ['send', 'Maple', 'change it', '--model', 'Fake/fake-model', ...more];
const result = (values: readonly Json[]) => values.at(-1)!['result'] as Json;
const types = (values: readonly Json[]) => values.slice(0, -1).map((v) => v['type']);

test('--approve all says yes: with --json every event is a line in order, and the result is the last', async () => {
  fake.load({ turns: [edit, answer('All done.')] });
  const { code, values } = await cli.json(...send('--approve', 'all'));
  expect(code).toBe(0);
  expect(types(values)).toEqual(expect.arrayContaining(['MessageSent', 'RunStarted', 'ThoughtRecorded', 'ToolCalled', 'ApprovalAsked', 'ApprovalDecided', 'FileChangePlanned', 'FileChanged', 'ToolReturned', 'AnswerRecorded', 'RunCompleted']));
  expect(types(values)[0]).toBe('MessageSent');
  expect(types(values).at(-1)).toBe('RunCompleted');
  const seqs = values.slice(0, -1).map((v) => v['seq'] as number);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  expect(result(values)).toMatchObject({ status: 'completed', answer: 'All done.', failure: null, changes: [{ op: 'changed', path: join(cli.work, 'note.md'), state: 'live' }] });
  expect(note()).toBe('DONE\n');
  expect(fake.requests.map((r) => r.body.model)).toEqual(['fake-model', 'fake-model']);
  expect(fake.problems()).toEqual([]);
});

test('--approve none says no: nothing is changed and the run goes on without it; text shows what was asked', async () => {
  fake.load({ turns: [edit, answer('Then not.')] });
  const ran = await cli.run(...send('--approve', 'none', '--permission', 'review'));
  expect(ran).toMatchObject({ code: 0, err: '' });
  expect(ran.lines).toEqual(expect.arrayContaining(['I change it.', `? write ${join(cli.work, 'note.md')}`, 'Then not.', expect.stringMatching(/^\[completed\] run_[a-z2-7]{26}$/)]));
  expect(note()).toBe('TODO\n');
});

test('--permission full asks nothing; a model name may hold a slash; an answer of any length is printed whole', async () => {
  const long = 'A long answer. '.repeat(20_000);
  fake.load({ turns: [edit, answer(long)] });
  const { code, values } = await cli.json('send', maple, 'change', 'it', '--permission', 'full', '--model', 'Fake/fake/large');
  expect(code).toBe(0);
  expect(types(values)).not.toContain('ApprovalAsked');
  expect((values.find((v) => v['type'] === 'MessageSent')!['data'] as { text: Json }).text).toEqual({ text: 'change it' });
  expect(values.find((v) => v['type'] === 'RunStarted')!['data']).toMatchObject({ permission: 'full', model: { model: 'fake/large' } });
  expect((result(values)['answer'] as string).length).toBe(long.length);
  expect(note()).toBe('DONE\n');

  fake.load({ turns: [{ steps: [{ text: long }] }] });
  const text = await cli.run('send', 'Maple', 'again', '--model', 'fake/large');
  expect(text.lines.filter((line) => line.length === long.length)).toHaveLength(1);
});

test('--approve ask without a terminal ends with 3, and with it the run when nothing else runs: no late yes can start it', async () => {
  fake.load({ turns: [edit] });
  const asked = await cli.run(...send());
  expect(asked).toMatchObject({ code: 3, err: '' });
  const run = /^\[waiting\] (run_\S+)$/m.exec(asked.out)![1]!;
  const late = await cli.json('approve', run);
  expect(late).toMatchObject({ code: 1, values: [{ error: { code: 'approval.gone', what: expect.any(String), next: expect.stringContaining('curator show') } }] });
  expect((await cli.run('show', 'Maple')).out).toMatch(new RegExp(`\\[interrupted\\] ${run}\n> change it`));
  expect(note()).toBe('TODO\n');
});

test('the local assistant answers offline; an unknown model, partner or provider sends nothing', async () => {
  const help = await cli.run('send', 'Maple', 'replace TODO with DONE in note.md', '--model', 'local', '--approve', 'all');
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(note()).toBe('DONE\n');
  const head = (await cli.json('log', 'Maple', '--limit', '1')).values[0]!['seq'];
  const model = await cli.run('send', 'Maple', 'hi', '--model', 'Fake/');
  expect([model.code, model.err]).toEqual([1, expect.stringMatching(/There is no model “Fake\/” \[cli\.noModel\]\nNothing was sent\.\n.*provider list/)]);
  expect((await cli.run('send', 'Nobody', 'hi')).err).toContain('[partner.unknown]');
  expect((await cli.json('log', 'Maple', '--limit', '1')).values[0]!['seq']).toBe(head);
  expect(fake.requests).toHaveLength(0);
});

test('a run that fails ends with 1 and says why: code, cause and next step, or the result with --json', async () => {
  fake.load({ turns: [{ times: 2, error: { status: 400, body: { message: 'no such thing' } } }] });
  const text = await cli.run(...send());
  expect(text.code).toBe(1);
  expect(text.err).toMatch(/^The model service refused the request \[model\.refused\]\n[\s\S]*no such thing[\s\S]*choose another model/);
  expect(text.lines.at(-1)).toMatch(/^\[failed\] run_/);
  const { code, values } = await cli.json(...send());
  expect([code, result(values)['status'], (result(values)['failure'] as Json)['code']]).toEqual([1, 'failed', 'model.refused']);
});

test('[I11] Ctrl-C stops the run, also one that waits for its model, and leaves a whole log and a free folder', async () => {
  fake.load({ turns: [{ steps: [{ text: 'I begin' }, { hang: true }] }] });
  const sending = cli.start([...send(), '--json']);
  await sending.says('"type":"RunStarted"');
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1), { timeout: 20_000 });
  const { code, lines } = await sending.signal('SIGINT');
  expect(code).toBe(130);
  const values = lines.map((line) => JSON.parse(line) as Json);
  expect(types(values).at(-1)).toBe('RunStopped');
  expect(result(values)).toMatchObject({ status: 'stopped', answer: null, changes: [] });
  await vi.waitFor(() => expect(fake.requests[0]!.outcome).toBe('client-gone'), { timeout: 20_000 });
  expect((await cli.run('verify')).code).toBe(0);
  const log = (await cli.json('log', 'Maple')).values.map((v) => v['type']);
  expect(log).toContain('StopRequested');
  expect(log.at(-1)).toBe('RunStopped');
});
