import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunId } from '#domain/ids.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import type { Script } from '../support/fake-openai/server.ts';
import { stage } from '../support/workbench/stage.ts';

/** What users of comparable products reported, gone through with the whole product: real files, real store, real restart. */

const on = stage(['a.md', 'b.md'], 'direct');

const edit = (path: string, from: string, to: string) => ({ name: 'edit_file', args: { path, edits: [{ oldText: from, newText: to }] } });
const doing = (...tools: { name: string; args: unknown }[]): Script['turns'] => [{ steps: [{ tools: tools as never }] }, { when: { role: 'tool' }, steps: [{ text: 'done' }] }];
const go = async (): Promise<TurnView> => on.talk.ended(await on.talk.send('go'));
const revert = (run: RunId, more: { force?: boolean; undo?: boolean } = {}) => on.world.api.call['change.revert']({ partner: on.talk.id, run, ...more });
const codes = (turn: TurnView) => turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []));
/** Ends the product and starts it again on the same folders. */
async function restart(): Promise<void> {
  const { id } = on.talk;
  await on.world.workbench.close();
  await on.world.start();
  on.talk = on.world.follow(id);
  await on.talk.until(() => true);
}
/** Every name below a folder with what it is and holds. */
function everything(dir: string): Record<string, string> {
  return Object.fromEntries(readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort().map((name) => {
    const stat = lstatSync(join(dir, name));
    return [name, stat.isFile() ? createHash('sha256').update(readFileSync(join(dir, name))).digest('hex') : stat.isSymbolicLink() ? readlinkSync(join(dir, name)) : 'folder'];
  }));
}

describe('taking back', () => {
  test('[case 1] only the file that the run changed changes; everything else in both work addresses is as it was', async () => {
    const second = join(on.world.base, 'second');
    mkdirSync(join(second, 'sub'), { recursive: true });
    writeFileSync(join(second, 'sub', 'b.txt'), 'theirs\n');
    await on.play(doing(edit('a.md', 'one', 'two')));
    await on.world.address('direct', second);
    const before = [everything(on.world.work), everything(second)];
    // The path is in both addresses' reach; only the one named is meant.
    const turn = await on.talk.ended(await on.talk.send('go'));
    expect(turn.records).toHaveLength(1);
    expect(everything(second)).toEqual(before[1]);
    expect(await revert(turn.run)).toMatchObject({ ok: true, value: { changed: 1 } });
    expect([everything(on.world.work), everything(second)]).toEqual(before);
  });
  test('[case 3] HEAD, branch, index and stash of a repository stay, and what was committed meanwhile is still there', async () => {
    const git = (...args: string[]) => execFileSync('git', ['-C', on.world.work, '-c', 'user.name=u', '-c', 'user.email=u@u', ...args], { encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'C1');
    on.put('b.md', 'stashed\n');
    git('stash', '-q');
    await on.play(doing(edit('a.md', 'one', 'two')));
    const turn = await go();
    git('commit', '-qam', 'C2');
    on.put('b.md', 'staged\n');
    git('add', 'b.md');
    const inside = everything(join(on.world.work, '.git'));
    expect(await revert(turn.run)).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(everything(join(on.world.work, '.git'))).toEqual(inside);
    expect([git('log', '--format=%s').trim(), git('branch', '--show-current').trim(), git('stash', 'list').split('\n').length]).toEqual(['C2\nC1', 'main', 2]);
    expect([on.get('a.md'), on.get('b.md')]).toEqual(['one\n', 'staged\n']);
  });
  test('[case 4] what another program wrote during the run stays', async () => {
    await on.play([{ steps: [{ tool: edit('a.md', 'one', 'two') }] }, { when: { role: 'tool' }, steps: [{ text: 'half' }, { hang: true }] }]);
    const run = await on.talk.send('go');
    await on.talk.live('half');
    mkdirSync(join(on.world.work, 'output'));
    on.put('output/data.jsonl', '{}\n');
    on.put('output/r.xlsx', 'PK');
    await on.talk.stop();
    expect(await revert(run)).toMatchObject({ ok: true, value: { changed: 1 } });
    expect([on.get('a.md'), on.get('output/data.jsonl'), on.get('output/r.xlsx')]).toEqual(['one\n', '{}\n', 'PK']);
  });
  test('[case 6] after a restart and a sweep the bytes come back; without them the revert is refused and an edited file is never deleted', async () => {
    await on.play(doing(edit('a.md', 'one', 'two')));
    const turn = await go();
    const other = await on.world.partner('Ivy');
    await restart();
    // Deleting a partner sweeps what nobody needs.
    expect(await on.world.api.call['partner.delete']({ partner: other.id })).toMatchObject({ ok: true });
    await on.world.workbench.settled();
    expect(await revert(turn.run)).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(on.get('a.md')).toBe('one\n');
    expect(await revert(turn.run, { undo: true })).toMatchObject({ ok: true, value: { changed: 1 } });
    const hash = turn.records[0]!.before!.hash!;
    rmSync(join(on.world.data, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash));
    await restart();
    const refused = await revert(turn.run);
    expect(refused).toMatchObject({ ok: true, value: { changed: 0, items: [{ failure: { code: 'change.noBlob' } }] } });
    expect(on.get('a.md')).toBe('two\n');
    const forced = await revert(turn.run, { force: true });
    expect(forced).toMatchObject({ ok: true, value: { changed: 0 } });
    expect(on.get('a.md')).toBe('two\n');
  });
  test('[case 7] [WB-APPLY-004-AC2] a later save of the person is stored before it is reverted over, and comes back byte for byte after a restart', async () => {
    await on.play(doing(edit('a.md', 'one', 'two')));
    const turn = await go();
    const mine = 'three\r\n\u00fc no newline at the end';
    on.put('a.md', mine);
    expect(await revert(turn.run)).toMatchObject({ ok: true, value: { changed: 0, conflicts: 1 } });
    expect(on.get('a.md')).toBe(mine);
    expect(await revert(turn.run, { force: true })).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(on.get('a.md')).toBe('one\n');
    await restart();
    expect(await revert(turn.run, { undo: true })).toMatchObject({ ok: true, value: { changed: 1 } });
    expect(on.get('a.md')).toBe(mine);
  });
  test('[case 11] fifty edits of a small file beside a video of 1.5 GB keep the small file’s versions and nothing else', async () => {
    writeFileSync(join(on.world.work, 'video.mp4'), '');
    truncateSync(join(on.world.work, 'video.mp4'), 1.5e9);
    on.put('a.md', 'version 0 '.padEnd(1024, '.'));
    await on.play(Array.from({ length: 50 }, (_, n) => doing(edit('a.md', `version ${n} `, `version ${n + 1} `))).flat());
    await go();
    const blobs = () => readdirSync(join(on.world.data, 'blobs'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => statSync(join(e.parentPath, e.name)).size);
    const first = blobs();
    for (let n = 1; n < 50; n++) await go();
    expect(on.get('a.md')).toContain('version 50 ');
    const all = blobs();
    expect(all.length - first.length).toBe(49);
    expect(all.reduce((n, size) => n + size, 0) - first.reduce((n, size) => n + size, 0)).toBeLessThan(100_000);
  });
});

describe('bytes', () => {
  test('[case 19] a file with one wrong byte far away is refused for an edit of line 1 and for replace-all, and not a byte of it moves', async () => {
    const bytes = Buffer.concat([Buffer.from('line\n'.repeat(998)), Buffer.from([0x6c, 0x99, 0x0a]), Buffer.from('last\n')]);
    writeFileSync(join(on.world.work, 'a.md'), bytes);
    await on.play(doing({ name: 'edit_file', args: { path: 'a.md', edits: [{ oldText: 'line\nline\n', newText: 'LINE\nline\n' }] } }, { name: 'replace_all', args: { path: 'a.md', oldText: 'last', newText: 'x' } }));
    const turn = await go();
    expect(codes(turn)).toEqual(['text.notUtf8', 'text.notUtf8']);
    expect(readFileSync(join(on.world.work, 'a.md')).equals(bytes)).toBe(true);
  });
  test('[case 25] replace-all writes dollar signs literally, at every place', async () => {
    on.put('a.md', 'log("done");\nlog("done");\n');
    await on.play(doing({ name: 'replace_all', args: { path: 'a.md', oldText: 'log("done");', newText: 'log("$& $1 $$ $`");' } }));
    expect(codes(await go())).toEqual([null]);
    expect(on.get('a.md')).toBe('log("$& $1 $$ $`");\nlog("$& $1 $$ $`");\n');
  });
  test('[case 31] three edits add no newline at the end, and keep the one that is there', async () => {
    on.put('a.md', 'abc');
    on.put('b.md', 'abc\n');
    await on.play(['a.md', 'b.md'].flatMap((path) => [doing(edit(path, 'abc', 'abcd')), doing(edit(path, 'abcd', 'ab')), doing(edit(path, 'ab', 'abc'))]).flat());
    for (let n = 0; n < 6; n++) await go();
    expect([on.get('a.md'), on.get('b.md')]).toEqual(['abc', 'abc\n']);
  });
  test.each([['a file', 'victim.txt'], ['nothing yet', 'new.txt']])('[case 33] a write through a link to %s outside is refused, and the record names where it really leads', async (_what, name) => {
    const outside = join(on.world.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'victim.txt'), 'untouched\n');
    symlinkSync(join(outside, name), join(on.world.work, 'notes.md'));
    const before = everything(outside);
    await on.play(doing({ name: 'write_file', args: { path: 'notes.md', content: 'x' } }, { name: 'create_file', args: { path: 'notes.md', content: 'x' } }));
    const turn = await go();
    expect(codes(turn).every((code) => code?.startsWith('gate.link'))).toBe(true);
    expect(everything(outside)).toEqual(before);
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).toContain('real: ');
    expect(turn.records).toEqual([]);
  });
  test('[case 39] moving everything into a folder stops at a file that its cloud drive has not downloaded: nothing is copied, nothing trashed', async () => {
    mkdirSync(join(on.world.work, 'archive'));
    on.put('合同.docx', '');
    on.put('.合同.docx.icloud', 'stub');
    await on.play(doing(...['合同.docx', 'b.md'].map((path) => ({ name: 'move_file', args: { path, to: `archive/${path}` } }))));
    const run = await on.talk.send('move everything into archive/');
    // The one that can be moved is asked for; the other one never gets so far.
    expect((await on.talk.asked()).waiting!.plans.map((plan) => plan.path)).toEqual([join(on.world.work, 'b.md')]);
    await on.talk.decide('approve');
    const turn = await on.talk.ended(run);
    expect(codes(turn)).toEqual(['change.placeholder', null]);
    expect(readdirSync(join(on.world.work, 'archive'))).toEqual(['b.md']);
    expect(statSync(join(on.world.work, '合同.docx')).size).toBe(0);
    expect(existsSync(join(on.world.base, 'share', 'Trash'))).toBe(false);
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).toContain('not downloaded');
  });
});

describe('history', () => {
  test('[case 49] a last record that was cut off: everything before is there, a notice says what was dropped, and it goes on', async () => {
    await on.play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    await on.talk.ended(await on.talk.send('first'));
    await on.talk.ended(await on.talk.send('second'));
    const { id } = on.talk;
    await on.world.workbench.close();
    const log = join(on.world.data, 'partners', id, 'log');
    const segment = join(log, readdirSync(log)[0]!, '00000001.jsonl');
    truncateSync(segment, statSync(segment).size - 20);
    const cut = readFileSync(segment);
    await on.world.start();
    on.talk = on.world.follow(id);
    await on.talk.until(() => true);
    expect(on.talk.turns.map((t) => t.message.text)).toEqual(['first', 'second']);
    const list = await on.world.api.call['partners.list']({});
    expect(list.ok && list.value[0]!.findings.map((f) => f.code)).toEqual(['lostRecord']);
    expect(await on.talk.ended(await on.talk.send('third'))).toMatchObject({ status: 'completed' });
    expect(readFileSync(segment).equals(cut), 'nothing that was acknowledged is cut').toBe(true);
    // It was said once; from then on the partner is as well as any.
    await restart();
    expect(on.talk.turns.map((t) => [t.message.text, t.status])).toEqual([['first', 'completed'], ['second', 'interrupted'], ['third', 'completed']]);
    const later = await on.world.api.call['partners.list']({});
    expect(later.ok && later.value[0]).toMatchObject({ health: 'well', findings: [] });
    expect(await on.talk.ended(await on.talk.send('fourth'))).toMatchObject({ status: 'completed' });
  });
});
