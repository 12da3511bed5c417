import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { PartnerId, RunId } from '#domain/ids.ts';
import { startWebHost, type WebHost } from '../support/browser/host.ts';
import { startFakeOpenAI, type FakeOpenAI, type Turn } from '../support/fake-openai/server.ts';
import { Cli, type Json, type Started } from '../support/cli/cli.ts';
import { furnish, inside, until } from '../support/cli/inside.ts';

const write = (content: string): Turn => ({ steps: [{ tool: { name: 'write_file', args: { path: 'note.md', content } } }] });
const edit = write('DONE\n');
const answer: Turn = { when: { role: 'tool' }, steps: [{ text: 'So be it.' }] };
const hang: Turn = { steps: [{ text: 'I begin' }, { hang: true }] };

// It waits for a while, and the tests before the one that looks at it do not wait with it.
const taken = new Cli();
const refused = inside(taken, () => taken.json('partner', 'list'));
afterAll(() => taken.close());

describe('beside a running web host', () => {
  const cli = new Cli();
  let fake: FakeOpenAI;
  let host: WebHost;
  let maple: PartnerId;
  const send = (...more: string[]) => ['send', 'Maple', 'change it', '--model', 'Fake/fake-model', ...more];
  beforeAll(async () => {
    writeFileSync(join(cli.work, 'note.md'), 'TODO\n');
    fake = await startFakeOpenAI();
    maple = await furnish(cli, 'confirm', fake.baseURL);
    host = await startWebHost(cli.data, cli.home, 'en');
  });
  afterAll(async () => {
    await host.kill();
    await cli.close();
    await fake.close();
  });

  /** Leaves a run waiting in the host. */
  async function waiting(): Promise<RunId> {
    const { code, values } = await cli.json(...send('--approve', 'ask'));
    const result = values.at(-1)!['result'] as Json;
    expect([code, result['status']]).toEqual([3, 'waiting']);
    return result['run'] as RunId;
  }

  /** Sends a message whose run asks its model and hears no more. */
  async function hanging(...more: string[]): Promise<Started> {
    fake.load({ turns: [hang] });
    const asked = fake.requests.length;
    const sending = cli.start([...send(), ...more]);
    await vi.waitFor(() => expect(fake.requests.length).toBeGreaterThan(asked), { timeout: 20_000 });
    return sending;
  }

  test('commands reach it over its socket: what one writes it has at once, and nobody takes its lock', async () => {
    expect(await cli.value('partner', 'create', 'Birch')).toMatchObject({ name: 'Birch' });
    const lists = await Promise.all([cli.json('partner', 'list'), cli.json('partner', 'list')]);
    for (const { values } of lists) expect(values.map((p) => p['name']).sort()).toEqual(['Birch', 'Maple']);
    expect(JSON.parse(readFileSync(join(cli.data, 'run/endpoint.json'), 'utf8'))).toMatchObject({ pid: host.child.pid });
  });

  test('a run that asks goes on waiting there; approve, reject and guide decide the whole of it', async () => {
    fake.load({ turns: [edit, answer] });
    const guided = await waiting();
    expect((await cli.json('partner', 'list')).values.find((p) => p['id'] === maple)).toMatchObject({ activity: 'waiting' });
    const busy = await cli.json(...send());
    expect([busy.code, (busy.values[0]!['error'] as Json)['code']]).toEqual([1, 'run.busy']);
    expect(await cli.run('guide', guided, 'use', 'another', 'file')).toMatchObject({ code: 0, lines: [guided] });
    expect(await until(cli, maple, guided, (t) => t.endedAt !== null)).toMatchObject({ status: 'completed', records: [] });
    expect(JSON.stringify(fake.requests.at(-1)!.body.messages)).toContain('use another file');

    fake.load({ turns: [edit, answer] });
    const rejected = await waiting();
    expect((await cli.run('reject', rejected)).code).toBe(0);
    expect(await until(cli, maple, rejected, (t) => t.endedAt !== null)).toMatchObject({ status: 'completed', records: [] });
    expect(readFileSync(join(cli.work, 'note.md'), 'utf8')).toBe('TODO\n');

    fake.load({ turns: [edit, answer] });
    const approved = await waiting();
    expect(await cli.value('approve', approved)).toEqual({ run: approved });
    expect(await until(cli, maple, approved, (t) => t.endedAt !== null)).toMatchObject({ status: 'completed', records: [{ state: 'live' }] });
    expect(readFileSync(join(cli.work, 'note.md'), 'utf8')).toBe('DONE\n');
    // A second yes changes nothing and says so.
    expect((await cli.run('approve', approved)).err).toContain('[approval.gone]');
  });

  test('a process that a run started may look, and decides nothing', async () => {
    const marked = (...args: string[]) => cli.start([...args, '--json'], { CURATOR_RUN: 'run_x', KEY: 'k' }).ended;
    fake.load({ turns: [write('ANYTHING\n'), answer] });
    const run = await waiting();
    const tries = await Promise.all([
      marked('approve', run), marked('partner', 'permission', 'Maple', 'full'), marked('partner', 'delete', 'Birch'), marked('address', 'add', '.', '--policy', 'direct'),
      marked('provider', 'add', 'X', '--url', fake.baseURL, '--models', 'm', '--key-env', 'KEY'), marked('send', 'Birch', 'hi', '--permission', 'full'),
    ]);
    for (const { code, out } of tries) expect([code, (JSON.parse(out) as { error: Json }).error['code']]).toEqual([1, 'rights.insideRun']);
    expect((await marked('partner', 'list')).code).toBe(0);
    expect(await cli.run('stop', 'Maple')).toMatchObject({ code: 0, lines: ['stopped'] });
    expect((await cli.run('stop', 'Maple')).lines).toEqual(['nothing was running']);
  });

  test('Ctrl-C stops the run in the host, and only that; the host goes on', async () => {
    const sending = await hanging('--json');
    const { code, lines } = await sending.signal('SIGTERM');
    expect([code, (JSON.parse(lines.at(-1)!) as { result: Json }).result['status']]).toEqual([143, 'stopped']);
    expect((await cli.json('partner', 'list')).values.map((p) => p['activity'])).toEqual(['idle', 'idle']);
  });

  test('when the host dies under a command, that ends with 1 and says so; the next one takes the folder and finds a whole log', async () => {
    const sending = await hanging();
    await host.kill();
    const { code, err } = await sending.ended;
    expect([code, err]).toEqual([1, expect.stringContaining('[cli.lost]')]);
    expect(existsSync(join(cli.data, 'run/endpoint.json'))).toBe(true);
    expect((await cli.run('verify')).code).toBe(0);
    expect((await cli.run('show', 'Maple', '--limit', '1')).out).toContain('[interrupted]');
  });
});

describe('on a folder that nothing runs on', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  test('[I9] commands at the same moment take turns: each does its work, none is refused', async () => {
    const made = await Promise.all(['A', 'B', 'C', 'D'].map((name) => cli.json('partner', 'create', name)));
    expect(made.map((m) => m.code)).toEqual([0, 0, 0, 0]);
    const list = await cli.json('partner', 'list');
    expect(list.values.map((p) => p['name']).sort()).toEqual(['A', 'B', 'C', 'D']);
  });

  test('what another start left behind is passed over: a dead socket, half a file; a host of another version is named', async () => {
    const endpoint = join(cli.data, 'run/endpoint.json');
    mkdirSync(join(cli.data, 'run'), { recursive: true });
    for (const text of [JSON.stringify({ socket: '\0curator-nobody', key: 'k', pid: 1 }), '{"socket":', '{"socket":7}', 'null']) {
      writeFileSync(endpoint, text);
      expect((await cli.run('verify')).code).toBe(0);
    }
    const socket = join(cli.home, 'old.sock');
    const old = createServer((stream) => stream.once('data', () => stream.write('{"t":"refused","why":"clientTooOld"}\n')));
    await new Promise<void>((up) => old.listen(socket, up));
    writeFileSync(endpoint, JSON.stringify({ socket, key: 'k', pid: process.pid }));
    const { code, err } = await cli.run('verify');
    expect([code, err]).toEqual([1, expect.stringContaining('of another version [cli.otherVersion]')]);
    old.close();
  });

  test('a data folder that cannot be one is refused with its cause', async () => {
    const file = join(cli.home, 'file');
    writeFileSync(file, '');
    const { code, out } = await cli.run('verify', '--data', file, '--json');
    expect([code, (JSON.parse(out) as { error: Json }).error]).toEqual([1, expect.objectContaining({ code: 'data.io', params: { errno: 'ENOTDIR' } })]);
    const newer = join(cli.home, 'newer');
    mkdirSync(newer);
    writeFileSync(join(newer, 'format.json'), '{"format":99}\n');
    expect((await cli.run('verify', '--data', newer)).err).toContain('[data.newer]');
  });

  test('[I9] a folder that stays taken without answering is refused plainly after a while', async () => {
    const { code, values } = await refused;
    expect([code, values]).toEqual([1, [{ error: expect.objectContaining({ code: 'lock.busy', what: 'Curator is already open elsewhere' }) }]]);
  });
});
