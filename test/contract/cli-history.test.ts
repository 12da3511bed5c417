import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChangeId, PartnerId, RunId } from '#domain/ids.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { Cli, type Json } from '../support/cli/cli.ts';
import { furnish, must } from '../support/cli/inside.ts';
import { HERE, talkOn } from '../support/cli/long-past.ts';
import { recording } from '../support/fs/faults.ts';
import { World } from '../support/workbench/world.ts';

/** More turns than twenty pages of fifty, and than fifty of fifty: what is older must be found all the same. */
const TURNS = 2600;
const cli = new Cli();
let maple: PartnerId;
let record: string;
let run: string;
beforeAll(async () => {
  writeFileSync(join(cli.work, 'note.md'), 'TODO\n');
  maple = await furnish(cli, 'confirm');
  const { code, values } = await cli.json('send', 'Maple', 'replace TODO with DONE in note.md', '--approve', 'all');
  if (code !== 0) throw new Error(JSON.stringify(values));
  const result = values.at(-1)!['result'] as { run: string; changes: readonly { record: string }[] };
  run = result.run;
  record = result.changes[0]!.record;
  await talkOn(cli, maple, TURNS);
});
afterAll(() => cli.close());
const seqs = (values: readonly Json[]) => values.map((v) => v['seq'] as number);

test('[I6] a change and a run behind thousands of turns are listed, shown and taken back', async () => {
  expect((await cli.run('changes', 'Maple')).lines).toEqual([`${record}  live  changed  ${join(cli.work, 'note.md')}  +1 -1  ${run}`]);
  expect((await cli.run('diff', record)).lines.slice(2)).toEqual(['@@ -1,1 +1,1 @@', '-TODO', '+DONE']);
  expect((await cli.run('revert', run, '--dry-run')).code).toBe(0);
  expect((await cli.run('revert', record)).code).toBe(0);
  expect(readFileSync(join(cli.work, 'note.md'), 'utf8')).toBe('TODO\n');
  expect((await cli.run('changes', 'Maple')).out).toContain('  reverted  ');
});

test('log gives the newest, or from a number on; every page adjoins the one before', async () => {
  const newest = await cli.json('log', 'Maple', '--limit', '3');
  const head = seqs(newest.values).at(-1)!;
  expect(seqs(newest.values)).toEqual([head - 2, head - 1, head]);
  const from = await cli.json('log', 'Maple', '--from', String(head - 1));
  expect(from.values).toEqual(newest.values.slice(1));
  const first = await cli.run('log', 'Maple', '--from', '1', '--limit', '2');
  expect(first.lines).toEqual([expect.stringMatching(/^@1 {2}\S+Z {2}host {2}OriginStarted$/), expect.stringMatching(/^@2 {2}\S+Z {2}person {2}PartnerCreated$/)]);
  expect(await cli.run('log', 'Maple', '--from', String(head + 1))).toMatchObject({ code: 0, out: '' });
});

test('show --as-of is the conversation right after an event: no later turn, and the turn as far as it was', async () => {
  const now = await cli.json('show', 'Maple', '--limit', '2');
  expect(now.values.map((t) => (t['message'] as Json)['text'])).toEqual([`talk ${TURNS - 1}`, `talk ${TURNS}`]);
  const started = now.values[0]!['seq'] as number;
  const then = await cli.json('show', 'Maple', '--as-of', `@${started}`, '--limit', '2');
  expect(then.values.map((t) => [(t['message'] as Json)['text'], t['status']])).toEqual([[`talk ${TURNS - 2}`, 'completed'], [`talk ${TURNS - 1}`, 'running']]);
  const text = await cli.run('show', 'Maple', '--as-of', String(started + 1), '--limit', '1');
  expect(text.out).toMatch(new RegExp(`^@${started} \\S+Z \\[running\\] run_\\S+\n> talk ${TURNS - 1}\nanswer ${TURNS - 1}\n$`));
  const beyond = await cli.run('show', 'Maple', '--as-of', '@999999');
  expect([beyond.code, beyond.err]).toEqual([1, expect.stringMatching(/There is no @999999 in this history \[log\.noEvent\]/)]);
  expect((await cli.run('show', 'Maple', '--as-of', 'yesterday')).code).toBe(2);
});

test('[I10] a history that several installations wrote is whole: log lists all of it, --as-of names any of its events', async () => {
  const two = new Cli();
  try {
    const partner = await furnish(two, 'confirm');
    await talkOn(two, partner, 2, 'another machine');
    await talkOn(two, partner, 1, HERE);
    const log = await two.run('log', 'Maple');
    // The newest of each place in the order in which it happened; only what this installation wrote has a bare number.
    const numbers = log.lines.map((line) => line.split('  ')[0]!);
    expect(log.lines.filter((line) => line.endsWith('MessageSent'))).toHaveLength(3);
    const foreign = numbers.filter((n) => /^@origin_[a-z2-7]{26}:\d+$/.test(n));
    expect(foreign.length).toBeGreaterThanOrEqual(6);
    expect(numbers.at(-1)).toMatch(/^@\d+$/);
    const texts = async (asOf: string) => (await two.json('show', 'Maple', '--as-of', asOf)).values.map((t) => (t['message'] as Json)['text']);
    expect(await texts(numbers.at(-1)!)).toEqual(['talk 1', 'talk 2', 'talk 1']);
    // Before this installation's own turn stands all that the other wrote, also by a bare number.
    expect(await texts(String(Number(numbers.at(-1)!.slice(1)) - 3))).toEqual(['talk 1', 'talk 2']);
    const second = numbers[log.lines.findIndex((line, i) => line.endsWith('RunCompleted') && foreign.includes(numbers[i]!))]!;
    expect(await texts(second)).toEqual(['talk 1']);
  } finally {
    await two.close();
  }
});

test('a change is found by its id with a few reads, however long the history', async () => {
  const reads = async (turns: number) => {
    const world = await World.open();
    try {
      const talk = await world.partner();
      await world.address('confirm');
      writeFileSync(join(world.work, 'note.md'), 'TODO\n');
      const run = await talk.send('replace TODO with DONE in note.md');
      await talk.decide('approve');
      const change = (await talk.ended(run)).records[0]!.record;
      await world.workbench.close();
      await talkOn({ data: world.data } as Cli, talk.id, turns, 'test');
      const fs = recording(createNodeFs());
      await world.start({ fs });
      must(await world.api.call['change.find']({ run }));
      const before = fs.calls.length;
      expect(must(await world.api.call['change.find']({ change: change as ChangeId }))).toMatchObject({ run: run as RunId, record: { record: change } });
      return fs.calls.slice(before).filter((c) => c.name === 'file.read').length;
    } finally {
      await world.close();
    }
  };
  expect(await reads(1200)).toBeLessThanOrEqual((await reads(20)) + 2);
});

test('[I2] verify says ok and how much, or what is damaged and where, and its exit code is the answer', async () => {
  const well = await cli.run('verify');
  expect([well.code, well.lines]).toEqual([0, [expect.stringMatching(/^ok {3}app {2}\d+ events/), expect.stringMatching(/^ok {3}Maple {2}\d+ events, \d+ blobs$/)]]);
  expect(await cli.value('verify', 'Maple')).toMatchObject({ partner: maple, problems: [] });
  const blob = readdirSync(join(cli.data, 'blobs'), { recursive: true, withFileTypes: true }).find((e) => e.isFile() && e.name.length >= 60)!;
  appendFileSync(join(blob.parentPath, blob.name), 'x');
  const bad = await cli.json('verify');
  expect(bad.code).toBe(1);
  expect(bad.values[1]!['problems']).toEqual([expect.objectContaining({ code: expect.stringContaining('lob') })]);
  expect((await cli.run('verify', 'Maple')).lines).toEqual([expect.stringMatching(/^BAD {2}Maple/), expect.stringMatching(/^ {5}\S+ \{/)]);
  expect(existsSync(join(cli.data, 'app'))).toBe(true);
});
