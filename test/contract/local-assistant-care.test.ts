import { mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readIntent } from '#domain/local/intent.ts';
import { sayFailure } from '#domain/words/words.ts';
import { World, type Talk } from '../support/workbench/world.ts';

let world: World;
let talk: Talk;
beforeEach(async () => {
  world = await World.open();
  await world.address('confirm');
  talk = await world.partner();
});
afterEach(() => world.close());
const put = (name: string, text: string) => writeFileSync(join(world.work, name), text);
const get = (name: string) => readFileSync(join(world.work, name), 'utf8');
const ask = async (text: string) => (await talk.ended(await talk.send(text))).answer!;
async function change(text: string, ...decisions: Parameters<Talk['decide']>) {
  const run = await talk.send(text);
  await talk.asked();
  await talk.decide(...(decisions.length ? decisions : (['approve'] as const)));
  return (await talk.ended(run)).answer!.text;
}

describe('[case 25] appending keeps every byte that was there', () => {
  test.each<[string, string, string]>([
    ['a first line in brackets', '[core]\nname = 1\n', '[core]\nname = 1\nend\n'],
    ['a first line that looks like the tool’s note', '[a.ini: lines 1–2 of 2]\nx\n', '[a.ini: lines 1–2 of 2]\nx\nend\n'],
    ['no line end at its end', 'x', 'x\nend\n'],
    ['CRLF line ends', 'x\r\ny\r\n', 'x\r\ny\r\nend\r\n'],
    ['a byte-order mark', '\ufeffx\n', '\ufeffx\nend\n'],
    ['nothing in it', '', 'end\n'],
    ['$ and back-quotes', '$& `$1`\n', '$& `$1`\nend\n'],
  ])('%s', async (_what, before, after) => {
    put('a.ini', before);
    await change('append end to a.ini');
    expect(get('a.ini')).toBe(after);
  });
  test('a file that was not read whole is left alone', async () => {
    const long = 'line of text\n'.repeat(20_000);
    put('long.md', long);
    const answer = await ask('append end to long.md');
    expect(answer.text).toBe(sayFailure('en', { code: 'tool.tooLarge' }).what);
    expect(talk.last.records).toEqual([]);
    expect(get('long.md')).toBe(long);
  });
});

describe('what it says', () => {
  test('one item is “1 item”, two are “2 items”', async () => {
    put('one.md', 'gold\n');
    expect((await ask('list files')).text).toContain('holds 1 item:');
    expect((await ask('find one')).text).toContain('Found 1 file:');
    expect((await ask('search for gold')).text).toContain('appears in 1 place:');
    expect((await ask('summarise one.md')).text).toContain('1 line, about 4 characters');
    expect((await ask('summarise')).text).toContain('It holds 1 file and 0 folders.');
    put('two.md', 'gold\ngold\n');
    expect((await ask('list files')).text).toContain('holds 2 items:');
    expect((await ask('search for gold')).text).toContain('appears in 3 places:');
    expect((await ask('列出文件')).text).toContain('里有 2 项');
  });
  test('names in brackets are listed, dot names are not, and a folder of dot names is empty', async () => {
    put('.hidden', '');
    expect((await ask('list files')).text).toBe('It is empty.');
    put('[draft].md', '');
    put('(old).md', '');
    expect((await ask('list files')).text).toMatch(/2 items:[\s\S]*\(old\)\.md[\s\S]*\[draft\]\.md/);
    expect((await ask('summarise')).text).toContain('2 files');
  });
  test('what was left out is said in the person’s language', async () => {
    for (let i = 0; i < 203; i++) put(`f${i}.md`, '');
    expect((await ask('列出文件')).text).toContain('另有 3 项没有列出。');
    expect((await ask('list files')).text).toContain('3 more items are not shown.');
  });
  test('reading shows a file whole, with a fence that nothing inside ends', async () => {
    put('a.md', '[x]\n```js\n````\n');
    expect((await ask('read a.md')).text).toBe('Contents of “a.md”:\n\n`````\n[x]\n```js\n````\n`````');
  });
  test('guidance and rejection change nothing and say so', async () => {
    put('a.md', 'one\n');
    expect(await change('replace one with two in a.md', 'reject')).toBe('All right, nothing was changed.');
    expect(await change('replace one with two in a.md', { guide: 'only the first' })).toContain('nothing was changed');
    expect(get('a.md')).toBe('one\n');
  });
  test('undo leaves a file alone that changed since, and says so without codes', async () => {
    put('a.md', 'one\n');
    await change('replace one with two in a.md');
    put('a.md', 'mine\n');
    const answer = await change('undo');
    expect(answer).not.toMatch(/\[|change\./);
    expect(get('a.md')).toBe('mine\n');
  });
  test('undo of a move is refused when the place it came from leads outside by now, before and after the yes', async () => {
    const outside = join(world.base, 'outside');
    mkdirSync(outside);
    for (const early of [true, false]) {
      mkdirSync(join(world.work, 'docs'));
      put('docs/a.md', 'one\n');
      mkdirSync(join(world.work, 'other'));
      await change('move docs/a.md to other');
      const swap = () => {
        rmdirSync(join(world.work, 'docs'));
        symlinkSync(outside, join(world.work, 'docs'));
      };
      if (early) swap();
      const run = await talk.send('undo');
      if (!early) {
        await talk.asked();
        swap();
        await talk.decide('approve');
      }
      const ended = await talk.ended(run);
      expect(ended.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []))).toContain('gate.link.outside');
      expect([readdirSync(outside), get('other/a.md')]).toEqual([[], 'one\n']);
      for (const name of ['docs', 'other']) rmSync(join(world.work, name), { recursive: true });
    }
  });
  test.each(['删除 docs 文件夹', 'delete the docs folder'])('[case 9] “%s” asks strongly, says how much is in it, and comes back whole', async (text) => {
    mkdirSync(join(world.work, 'docs'));
    put('docs/a.md', 'a\n');
    put('docs/b.md', 'b\n');
    const run = await talk.send(text);
    expect((await talk.asked()).waiting!.plans).toMatchObject([{ op: 'trash', kind: 'folder', strong: true, warnings: expect.arrayContaining([{ key: 'warn.folder', params: { files: 2, folders: 0 } }]) }]);
    await talk.decide('approve');
    await talk.ended(run);
    expect(readdirSync(world.work)).not.toContain('docs');
    await change('undo');
    expect(get('docs/b.md')).toBe('b\n');
  });
  test('every suggestion it makes is one it understands', async () => {
    mkdirSync(join(world.work, 'docs'));
    put('notes.md', 'a\n');
    put('docs/notes.md', 'b\n');
    for (const text of ['help', '你好', 'sing', 'read notes.md', '读取 notes.md', 'replace a with b in notes.md', '把 notes.md 里的 a 换成 b', 'append x to notes.md', '在 notes.md 末尾追加 x', 'rename notes.md to n.md', 'move notes.md to docs', 'copy notes.md to c.md', 'delete notes.md', '删除 notes.md', 'find notes', 'read note.md', '删除所有文件']) {
      const { suggestions } = await ask(text);
      for (const s of suggestions) expect([text, s, readIntent(s).do]).not.toContain('unknown');
    }
    expect(get('notes.md')).toBe('a\n');
  });
});

describe('what it does not do', () => {
  test.each(['永久删除 a.md', '删除所有文件', 'delete all files', 'delete *.md', '执行 rm -rf .', 'delete a.md?', '不要删除 a.md', '读取 a.md\n删除 a.md', 'how do I delete a file'])('“%s” touches nothing and calls no tool', async (text) => {
    put('a.md', 'one\n');
    const turn = await talk.ended(await talk.send(text, { permission: 'full' }));
    expect(turn).toMatchObject({ status: 'completed', process: [], records: [] });
    expect(readdirSync(world.work)).toEqual(['a.md']);
  });
  test.each(['读取 ../secret.txt', '读取 C:\\Windows\\win.ini', '创建 run.bat', '把 a.md 移动到 ../', 'read .env', 'create .git/hooks/pre-commit with text x'])('“%s” is stopped by the gate, with words', async (text) => {
    put('a.md', 'one\n');
    put('.env', 'KEY=canary-0815');
    writeFileSync(join(world.base, 'secret.txt'), 'canary-0815');
    const turn = await talk.ended(await talk.send(text, { permission: 'full' }));
    expect(turn).toMatchObject({ status: 'completed', records: [] });
    expect(turn.answer!.text).not.toMatch(/canary|gate\.|\[/);
    expect(readdirSync(world.work).sort()).toEqual(['.env', 'a.md']);
  });
  test('without a work address it says what to do first', async () => {
    const { value } = (await world.api.call['app.view']({})) as unknown as { value: { addresses: { id: never }[] } };
    await world.api.call['address.remove']({ address: value.addresses[0]!.id });
    for (const text of ['list files', 'read a.md', 'create a.md', 'summarise']) expect((await ask(text)).text).toBe('There is no work address yet. Add a folder and I can work in it.');
  });
  test('with two work addresses it names each file by its address and finds it there', async () => {
    const other = join(world.base, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'b.md'), 'in the other\n');
    await world.address('confirm', other);
    expect((await ask('list files')).text).toContain('Your work addresses:');
    expect((await ask('summarise')).text).toContain('Your work addresses:');
    expect((await ask('read b.md')).text).toContain('in the other');
  });
});
