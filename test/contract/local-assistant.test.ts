import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { World, type Talk } from '../support/workbench/world.ts';

let world: World;
let talk: Talk;
beforeEach(async () => {
  world = await World.open();
  mkdirSync(join(world.work, 'docs'));
  writeFileSync(join(world.work, 'notes.md'), '# Notes\r\nTODO one\r\nTODO two\r\n');
  writeFileSync(join(world.work, 'docs', 'plan.md'), '# Plan\n\n## Before\n\n- [ ] order $& banners\n');
  await world.address('direct');
  talk = await world.partner();
});
afterEach(() => world.close());
const get = (name: string) => readFileSync(join(world.work, name), 'utf8');
/** Looks need no yes; changes are asked for whatever the policy says (C-01). */
async function look(text: string): Promise<string> {
  const turn = await talk.ended(await talk.send(text));
  expect(turn.records).toEqual([]);
  return turn.answer!.text;
}
async function change(text: string): Promise<string> {
  const run = await talk.send(text);
  await talk.asked();
  await talk.decide('approve');
  const turn = await talk.ended(run);
  expect(turn).toMatchObject({ status: 'completed' });
  return turn.answer!.text;
}

describe.each([
  ['zh', { list: '列出文件', find: '找 plan', read: '读取 plan.md', search: '搜索 banners', sum: '总结 plan.md', replace: '把 notes.md 里的 TODO 换成「$& $1」', create: '新建 new.md，内容是 你好', append: '在 plan.md 末尾追加 尾巴', rename: '把 plan.md 重命名为 Plan2.md', move: '把 notes.md 移动到 docs', copy: '把 notes.md 复制为 copy.md', trash: '删除 notes.md', undo: '撤销', folder: '新建文件夹 归档' }],
  ['en', { list: 'list files', find: 'find plan', read: 'read plan.md', search: 'search for banners', sum: 'summarise plan.md', replace: 'replace TODO with "$& $1" in notes.md', create: 'create a file called new.md with text 你好', append: 'append 尾巴 to plan.md', rename: 'rename plan.md to Plan2.md', move: 'move notes.md to docs', copy: 'copy notes.md to copy.md', trash: 'delete notes.md', undo: 'undo', folder: 'create folder 归档' }],
])('[WA-AGENT-01] the local assistant in %s', (_language, say) => {
  test('lists, finds, reads, searches, summarises', async () => {
    expect(await look(say.list)).toContain('`notes.md`');
    expect(await look(say.find)).toContain('docs/plan.md');
    expect(await look(say.read)).toContain('order $& banners');
    expect(await look(say.search)).toContain('docs/plan.md');
    expect(await look(say.sum)).toContain('Before');
  });
  test('[case 25] [case 15] replaces literally and keeps line ends', async () => {
    await change(say.replace);
    expect(get('notes.md')).toBe('# Notes\r\n$& $1 one\r\n$& $1 two\r\n');
  });
  test('creates, appends, renames, moves, copies', async () => {
    await change(say.create);
    expect(get('new.md')).toBe('你好\n');
    await change(say.append);
    expect(get('docs/plan.md')).toMatch(/banners\n尾巴\n$/);
    await change(say.rename);
    expect(existsSync(join(world.work, 'docs/Plan2.md'))).toBe(true);
    await change(say.copy);
    expect(get('copy.md')).toBe(get('notes.md'));
    await change(say.move);
    expect(existsSync(join(world.work, 'docs/notes.md'))).toBe(true);
    await change(say.folder);
    expect(existsSync(join(world.work, '归档'))).toBe(true);
  });
  test('[case 9] trashes with a strong question, and takes it back', async () => {
    const before = get('notes.md');
    const run = await talk.send(say.trash);
    expect((await talk.asked()).waiting!.plans).toMatchObject([{ op: 'trash', strong: true }]);
    await talk.decide('approve');
    await talk.ended(run);
    expect(existsSync(join(world.work, 'notes.md'))).toBe(false);
    await change(say.undo);
    expect(get('notes.md')).toBe(before);
  });
  test('[case 13] undoing a created file removes it; a rejected change touches nothing', async () => {
    await change(say.create);
    await change(say.undo);
    expect(existsSync(join(world.work, 'new.md'))).toBe(false);
    const run = await talk.send(say.replace);
    await talk.asked();
    await talk.decide('reject');
    await talk.ended(run);
    expect(get('notes.md')).toContain('TODO one');
  });
});

test('a name that several files have is asked back, with each as a button', async () => {
  writeFileSync(join(world.work, 'docs', 'notes.md'), 'x');
  const turn = await talk.ended(await talk.send('read notes.md'));
  expect(turn.answer!.suggestions).toEqual(expect.arrayContaining(['Read ./notes.md', 'Read docs/notes.md']));
});
test('a button of that question settles it', async () => {
  writeFileSync(join(world.work, 'docs', 'notes.md'), 'x');
  const asked = await talk.ended(await talk.send('replace TODO with DONE in notes.md'));
  await change(asked.answer!.suggestions.find((s) => s.includes('./notes.md'))!);
  expect(get('notes.md')).toContain('DONE one');
  expect(get('docs/notes.md')).toBe('x');
});
test('what was not searched is said', async () => {
  writeFileSync(join(world.work, 'long.txt'), 'x'.repeat(200_000) + '\nNEEDLE\n');
  expect(await look('search for NEEDLE')).toContain('Not everything was searched');
});
test('what it does not understand it says so, does nothing, and offers what it can do', async () => {
  const turn = await talk.ended(await talk.send('please sing'));
  expect(turn.process).toEqual([]);
  expect(turn.answer!.suggestions.length).toBe(3);
});
