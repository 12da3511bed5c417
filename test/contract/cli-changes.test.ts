import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeOpenAI, type FakeOpenAI } from '../support/fake-openai/server.ts';
import { Cli, type Json } from '../support/cli/cli.ts';
import { furnish } from '../support/cli/inside.ts';

const cli = new Cli();
let fake: FakeOpenAI;
const at = (name: string) => join(cli.work, name);
const text = (name: string) => readFileSync(at(name), 'utf8');
interface Row extends Json {
  readonly run: string;
  readonly record: { readonly record: string; readonly op: string; readonly path: string; readonly state: string; readonly added: number; readonly removed: number };
}
let rows: readonly Row[];
const of = (name: string) => rows.find((r) => r.record.path === at(name))!;
const items = (values: readonly Json[]) => values[0]!['items'] as readonly Json[];

beforeAll(async () => {
  fake = await startFakeOpenAI({
    turns: [
      {
        steps: [{
          tools: [
            { name: 'write_file', args: { path: 'a.md', content: 'one\nTWO\nthree' } },
            { name: 'create_file', args: { path: 'new.md', content: 'new\n' } },
            { name: 'rename_file', args: { path: 'b.md', name: 'c.md' } },
          ],
        }],
      },
      { when: { role: 'tool' }, steps: [{ text: 'Three changes.' }] },
    ],
  });
  writeFileSync(at('a.md'), 'one\ntwo\nthree\n');
  writeFileSync(at('b.md'), 'bytes of b\n');
  await furnish(cli, 'direct', fake.baseURL);
  const sent = await cli.run('send', 'Maple', 'change three', '--permission', 'full', '--model', 'Fake/fake-model');
  if (sent.code !== 0) throw new Error(sent.out + sent.err);
  rows = (await cli.json('changes', 'Maple')).values as readonly Row[];
});
afterAll(async () => {
  await cli.close();
  await fake.close();
});

test('[WB-APPLY-003] changes lists the records with their run, as text and as JSON, and no more than asked for', async () => {
  expect(rows.map((r) => [r.record.op, r.record.path, r.record.state, r.record.added, r.record.removed])).toEqual([
    ['changed', at('a.md'), 'live', 2, 2],
    ['created', at('new.md'), 'live', 1, 0],
    ['moved', at('c.md'), 'live', null, null],
  ]);
  const one = await cli.run('changes', 'Maple', '--limit', '1');
  expect(one.lines).toEqual([`${of('a.md').record.record}  live  changed  ${at('a.md')}  +2 -2  ${of('a.md').run}`]);
});

test('diff is what patch reads: applied to the bytes from before it gives those after', async () => {
  const changed = await cli.run('diff', of('a.md').record.record);
  expect(changed.lines.slice(0, 2)).toEqual([`--- ${at('a.md')}`, `+++ ${at('a.md')}`]);
  expect(changed.lines).toEqual(expect.arrayContaining(['-two', '+TWO', '-three', '+three', '\\ No newline at end of file']));
  const copy = join(cli.home, 'copy.md');
  writeFileSync(copy, 'one\ntwo\nthree\n');
  execFileSync('git', ['apply', '--unsafe-paths', '--unidiff-zero', '-p0', '-'], { cwd: cli.home, input: changed.out.replaceAll(at('a.md'), 'copy.md') });
  expect(readFileSync(copy, 'utf8')).toBe(text('a.md'));

  const created = await cli.run('diff', of('new.md').record.record);
  expect(created.lines).toEqual(['--- /dev/null', `+++ ${at('new.md')}`, '@@ -0,0 +1,1 @@', '+new']);
  const { code, values } = await cli.json('diff', of('a.md').record.record);
  expect([code, values]).toEqual([0, [expect.objectContaining({ kind: 'text', added: 2, removed: 2 })]]);
});

test('[I6] revert: --dry-run touches nothing, a later change is a conflict, --force takes it back and keeps what was there, --undo gives that back', async () => {
  const { record } = of('a.md').record;
  writeFileSync(at('a.md'), 'mine\n');
  const dry = await cli.run('revert', record, '--dry-run');
  expect(dry).toMatchObject({ code: 1, lines: [`conflict  restore  ${at('a.md')}  [change.stale]`] });
  expect(dry.err).toMatch(/\[change\.stale\]\n[\s\S]*--force/);
  const conflict = await cli.json('revert', record);
  expect([conflict.code, conflict.values]).toEqual([1, [expect.objectContaining({ changed: 0, conflicts: 1 })]]);
  expect(text('a.md')).toBe('mine\n');

  expect(await cli.run('revert', record, '--force')).toMatchObject({ code: 0, err: '', lines: [`done  restore  ${at('a.md')}`] });
  expect(text('a.md')).toBe('one\ntwo\nthree\n');
  const again = await cli.json('revert', record);
  expect([again.code, (items(again.values)[0]!['failure'] as Json)['code']]).toEqual([1, 'revert.already']);
  expect((await cli.run('revert', record, '--undo')).code).toBe(0);
  expect(text('a.md')).toBe('mine\n');
});

test('[WB-APPLY-004] revert of a run takes back all it changed, newest first; the plan before says the same', async () => {
  const { run } = of('a.md');
  writeFileSync(at('a.md'), 'one\nTWO\nthree');
  const dry = await cli.json('revert', run, '--dry-run');
  const wanted = [['moveBack', at('c.md')], ['remove', at('new.md')], ['restore', at('a.md')]];
  expect(items(dry.values).map((i) => [i['state'], i['effect'], i['path']])).toEqual(wanted.map((w) => ['planned', ...w]));
  expect([existsSync(at('new.md')), existsSync(at('b.md'))]).toEqual([true, false]);
  const done = await cli.run('revert', run);
  expect([done.code, done.lines]).toEqual([0, wanted.map((w) => `done  ${w.join('  ')}`)]);
  expect([text('a.md'), text('b.md'), existsSync(at('new.md')), existsSync(at('c.md'))]).toEqual(['one\ntwo\nthree\n', 'bytes of b\n', false, false]);
  const nothing = await cli.run('revert', run);
  expect([nothing.code, nothing.out, nothing.err]).toEqual([1, '', expect.stringContaining('[revert.noRecord]')]);
});

test('an id that nobody has is named as unknown, with where to look', async () => {
  const nobody = 'a'.repeat(26);
  const [change, run, word] = await Promise.all([cli.run('diff', `change_${nobody}`), cli.run('revert', `run_${nobody}`), cli.run('revert', 'a.md')]);
  expect([change.code, run.code, word.code]).toEqual([1, 1, 1]);
  expect(change.err).toMatch(/\[revert\.noRecord\]\n[\s\S]*curator changes PARTNER/);
  expect(run.err).toContain('[revert.noRun]');
  expect(word.err).toContain('[revert.noRecord]');
});
