import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeOpenAI, type FakeOpenAI } from '../support/fake-openai/server.ts';
import { Cli, type Json } from '../support/cli/cli.ts';

// Nothing runs beside these: each command takes the folder's lock itself.
const cli = new Cli();
let fake: FakeOpenAI;
beforeAll(async () => {
  fake = await startFakeOpenAI({ models: ['fake-model', 'fake/large'], turns: [{ times: 'always', steps: [{ text: 'ok' }] }], apiKey: 'sk-canary-4711-secret' });
});
afterAll(async () => {
  await cli.close();
  await fake.close();
});
const code = (values: readonly Json[]) => (values[0]?.['error'] as Json | undefined)?.['code'];

test('[WB-SESSION-004-AC1] partners are created, listed, renamed, pinned and deleted, by id or by a name that only one has', async () => {
  const made = await cli.run('partner', 'create', 'Maple', '--shape', 'drop', '--colour', 'lake');
  expect(made).toMatchObject({ code: 0, err: '', lines: [expect.stringMatching(/^partner_[a-z2-7]{26}$/)] });
  const maple = made.lines[0]!;
  const birch = await cli.value('partner', 'create', 'Two words');
  expect(birch).toMatchObject({ name: 'Two words', face: { shape: 'circle', colour: 'lake' }, permission: 'review', model: { provider: 'local' } });
  const twin = await cli.value('partner', 'create', 'Maple');

  const both = await cli.json('partner', 'rename', 'Maple', 'Oak');
  expect([both.code, code(both.values)]).toEqual([1, 'partner.ambiguous']);
  expect(await cli.value('partner', 'rename', maple, 'Oak')).toMatchObject({ id: maple, name: 'Oak', face: { shape: 'drop' } });
  expect((await cli.run('partner', 'pin', 'Oak')).lines).toEqual(['Oak  pinned']);
  expect((await cli.run('partner', 'permission', 'Two words', 'full')).lines).toEqual(['full']);

  const list = await cli.run('partner', 'list');
  expect(list.lines).toEqual([
    `* ${maple}  Oak  (idle, review, local)`,
    expect.stringMatching(/^ {2}partner_\S+ {2}(Maple|Two words) {2}/),
    expect.stringMatching(/^ {2}partner_\S+ {2}(Maple|Two words) {2}/),
  ]);
  expect(list.out).toContain('Two words  (idle, full, local)');
  expect(await cli.value('partner', 'pin', 'Oak', 'off')).toMatchObject({ pinned: false });

  expect((await cli.run('partner', 'delete', 'Maple')).out).toMatch(/^deleted, \d+ events\n$/);
  const left = await cli.json('partner', 'list');
  expect(left.values.map((p) => p['id']).sort()).toEqual([maple, birch['id']].sort());
  expect(cli.holding(String(twin['id'])).every((path) => !path.includes(`partners/${String(twin['id'])}`))).toBe(true);

  const gone = await cli.run('partner', 'delete', 'Maple');
  expect(gone).toMatchObject({ code: 1, out: '' });
  // Code, cause, next step.
  expect(gone.err).toBe('This partner cannot be found [partner.unknown]\nOther partners are not affected.\nSee with: curator partner list\n');
});

test('a face that does not exist is refused with those that do', async () => {
  const shape = await cli.run('partner', 'create', 'X', '--shape', 'star');
  expect([shape.code, shape.err]).toEqual([2, expect.stringContaining('circle, square, capsule, hexagon, cloud, drop')]);
});

test('addresses are added with a policy, listed, and removed by id, name or path, also relative ones and through links', async () => {
  for (const name of ['a', 'b', 'c', 'd/b']) mkdirSync(join(cli.work, name), { recursive: true });
  symlinkSync(join(cli.work, 'c'), join(cli.work, 'link'));
  // The command stands in the work folder.
  const a = await cli.value('address', 'add', 'a', '--policy', 'readOnly', '--name', 'Papers');
  expect(a).toMatchObject({ root: join(cli.work, 'a'), policy: 'readOnly', name: 'Papers', reachable: true });
  expect(await cli.value('address', 'add', './b')).toMatchObject({ policy: 'confirm', name: 'b' });
  expect((await cli.run('address', 'add', 'link', '--policy', 'direct')).out).toMatch(new RegExp(`^address_\\S+ {2}direct {2}${join(cli.work, 'c')}\n$`));
  await cli.value('address', 'add', 'd/b', '--name', 'b');

  const twice = await cli.json('address', 'add', join(cli.work, 'a'), '--policy', 'direct');
  expect([twice.code, code(twice.values)]).toEqual([1, 'address.exists']);
  const nowhere = await cli.run('address', 'add', 'nowhere', '--policy', 'confirm');
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('[gate.root.missing]')]);
  // Two have this name: neither is taken for the other; a path says which.
  const several = await cli.json('address', 'remove', 'b');
  expect([several.code, code(several.values)]).toEqual([1, 'address.ambiguous']);
  expect(await cli.value('address', 'remove', './b')).toMatchObject({ root: join(cli.work, 'b') });

  expect((await cli.run('address', 'remove', 'Papers')).lines).toEqual([join(cli.work, 'a')]);
  expect((await cli.run('address', 'remove', 'link')).lines).toEqual([join(cli.work, 'c')]);
  rmSync(join(cli.work, 'd'), { recursive: true });
  const list = await cli.run('address', 'list');
  expect(list.lines).toEqual([expect.stringMatching(new RegExp(`^address_\\S+ {2}confirm {2}b {2}${join(cli.work, 'd/b')} {2}\\(not found now\\)$`))]);
  // A folder that is gone can still be taken off the list by its path.
  expect(await cli.value('address', 'remove', 'd/b')).toMatchObject({ root: join(cli.work, 'd/b') });
  expect(code((await cli.json('address', 'remove', 'd/b')).values)).toBe('address.unknown');
});

test('[I13] providers are added, listed and tested; the key comes from a variable and is nowhere in what is printed or stored', async () => {
  const key = 'sk-canary-4711-secret';
  const add = ['provider', 'add', 'Fake', '--url', fake.baseURL, '--models', 'fake-model, fake/large,', '--key-env', 'FAKE_KEY'];
  const empty = await cli.start([...add, '--json'], { FAKE_KEY: ' ' }).ended;
  expect([empty.code, (JSON.parse(empty.out) as Json)['error']]).toEqual([1, expect.objectContaining({ code: 'cli.noVariable', params: { name: 'FAKE_KEY' } })]);
  const added = await cli.start(add, { FAKE_KEY: `${key}\n` }).ended;
  expect(added).toMatchObject({ code: 0, lines: [expect.stringMatching(/^provider_/)] });

  const list = await cli.run('provider', 'list');
  expect(list.lines).toEqual([`${added.lines[0]!}  Fake  ${fake.baseURL}  fake-model,fake/large`]);
  const tested = await cli.run('provider', 'test', 'Fake');
  expect([tested.code, tested.lines]).toEqual([0, ['ok, 2 models']]);

  // The same without a key: the test names the hop, and the exit says that it failed.
  await cli.value('provider', 'add', 'Keyless', '--url', `${fake.baseURL}/`, '--models', 'fake-model');
  expect((await cli.run('provider', 'list')).out).toContain('Keyless');
  const refused = await cli.json('provider', 'test', 'Keyless');
  expect(refused).toMatchObject({ code: 1, values: [{ ok: false, hop: expect.stringMatching(/key|model/), status: 401 }] });
  expect(code((await cli.json('provider', 'test', 'Nobody')).values)).toBe('provider.unknown');
  expect(code((await cli.json('provider', 'add', 'X', '--url', 'ftp://x', '--models', 'm')).values)).toBe('provider.badUrl');

  for (const text of [added.out, added.err, list.out, tested.out, JSON.stringify(refused)]) expect(text).not.toContain(key);
  expect(cli.holding(key)).toEqual([]);
  expect(cli.holding('Keyless').length).toBeGreaterThan(0);
});

test('tools are listed with their risk, as JSON with their schema', async () => {
  const [text, json] = [await cli.run('tools'), await cli.json('tools')];
  expect(text.lines.length).toBe(json.values.length);
  expect(text.out).toMatch(/^write_file {2}\(\w+, changes\) {2}\S/m);
  for (const tool of json.values) expect(tool).toMatchObject({ name: expect.any(String), risk: expect.stringMatching(/^(low|medium|high)$/), schema: { type: 'object' } });
});
