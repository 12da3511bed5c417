import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTools } from '#main/tools/registry.ts';
import { toolRun, type ToolRun } from '#test/support/changes/tools.ts';
import { ADDRESS, address, makeWorld, treeHash, type World } from '#test/support/changes/world.ts';

let world: World;
let at: (name: string) => string;
let run: ToolRun;
beforeEach(() => {
  world = makeWorld();
  at = (name) => join(world.ws, name);
  run = toolRun(world);
});
afterEach(() => world.clean());

describe('changing tools', () => {
  it('[case 15] [WB-EDIT-001-AC6] keeps CRLF in an edit and in a full rewrite with LF', async () => {
    writeFileSync(at('c.txt'), 'a\r\nb\r\nc\r\n');
    expect((await run.call('edit_file', { path: 'c.txt', edits: [{ oldText: 'b', newText: 'B' }] })).text).toContain('+1 −1');
    expect(readFileSync(at('c.txt'), 'utf8')).toBe('a\r\nB\r\nc\r\n');
    writeFileSync(at('d.txt'), 'a\r\nb\r\nc\r\n');
    const prepared = await toolRun(world, { gate: { permission: 'review' }, addresses: [address(world.ws, 'confirm')] }).prepare('write_file', { path: 'd.txt', content: 'a\nB\nc\n' });
    expect(prepared.go === 'ask' && [prepared.plan.added, prepared.plan.removed]).toEqual([1, 1]);
    await run.call('write_file', { path: 'd.txt', content: 'a\nB\nc\n' });
    expect(readFileSync(at('d.txt'), 'utf8')).toBe('a\r\nB\r\nc\r\n');
  });
  it('[case 17] adds no byte-order mark and keeps one', async () => {
    writeFileSync(at('n.md'), '# one\n');
    writeFileSync(at('b.md'), '\ufeff# one\n');
    for (const name of ['n.md', 'b.md']) await run.call('edit_file', { path: name, edits: [{ oldText: 'one', newText: 'two' }] });
    await run.call('write_file', { path: 'b.md', content: '# three\n' });
    expect([...readFileSync(at('n.md')).subarray(0, 2)]).toEqual([0x23, 0x20]);
    expect([...readFileSync(at('b.md')).subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x23]);
  });
  it('[case 19] refuses a file with one wrong byte and leaves it', async () => {
    writeFileSync(at('w.txt'), Buffer.concat([Buffer.from('line\n'.repeat(998)), Buffer.from([0x99]), Buffer.from('\nend\n')]));
    const before = treeHash(world.ws);
    expect((await run.call('edit_file', { path: 'w.txt', edits: [{ oldText: 'end', newText: 'END' }] })).code).toBe('text.notUtf8');
    expect((await run.call('write_file', { path: 'w.txt', content: 'x' })).code).toBe('text.notUtf8');
    expect(treeHash(world.ws)).toBe(before);
  });
  it('[case 25] [case 27] [case 31] writes literally and changes nothing else', async () => {
    writeFileSync(at('j.js'), 'log("done"); const MAX = 3; // 再試行（最大３回）ｱｲｳ — 設定');
    await run.call('edit_file', { path: 'j.js', edits: [{ oldText: 'done', newText: '$& $1 $$ $`' }, { oldText: '3;', newText: '5;' }] });
    expect(readFileSync(at('j.js'), 'utf8')).toBe('log("$& $1 $$ $`"); const MAX = 5; // 再試行（最大３回）ｱｲｳ — 設定');
    const all = await run.call('replace_all', { path: 'j.js', oldText: '$', newText: '$&' });
    expect(all.text).toContain('5 occurrences');
  });
  it('[case 29] refuses when the file moved on since this run read it', async () => {
    await run.call('read_file', { path: 'a.txt' });
    writeFileSync(at('a.txt'), 'v2 by the person\n');
    for (const [name, more] of [['write_file', { content: 'ai' }], ['edit_file', { edits: [{ oldText: 'v2', newText: 'v3' }] }], ['replace_all', { oldText: 'v2', newText: 'v3' }], ['trash_file', {}], ['move_file', { to: 'b.txt' }]] as const)
      expect((await run.call(name, { path: 'a.txt', ...more })).code).toBe('change.stale');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('v2 by the person\n');
    await run.call('read_file', { path: 'a.txt' });
    expect((await run.call('write_file', { path: 'a.txt', content: 'ai\n' })).outcome).toBe('ok');
    expect((await run.call('write_file', { path: 'a.txt', content: 'ai again\n' })).outcome).toBe('ok');
  });
  it('[case 29] refuses what changed between the question and the yes', async () => {
    const asking = toolRun(world, { gate: { permission: 'review' }, addresses: [address(world.ws, 'confirm')] });
    const prepared = await asking.prepare('write_file', { path: 'a.txt', content: 'ai\n' });
    if (prepared.go !== 'ask') throw new Error(prepared.go);
    writeFileSync(at('a.txt'), 'saved meanwhile\n');
    expect((await prepared.run(new AbortController().signal)).code).toBe('change.stale');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('saved meanwhile\n');
  });
  it('P249 [WA-POLICY-03] refuses an approved place that became another', async () => {
    mkdirSync(at('swap2'));
    const asking = toolRun(world, { gate: { permission: 'review' }, addresses: [address(world.ws, 'confirm')] });
    const prepared = await asking.prepare('create_file', { path: 'swap2/x.txt', content: 'x' });
    if (prepared.go !== 'ask') throw new Error(prepared.go);
    renameSync(at('swap2'), at('away'));
    symlinkSync(world.out, at('swap2'));
    expect((await prepared.run(new AbortController().signal)).outcome).toBe('refused');
    expect(existsSync(join(world.out, 'x.txt'))).toBe(false);
  });
  it('[WA-PLAN-01] refuses an approved path that means another place inside now', async () => {
    mkdirSync(at('swap3'));
    const asking = toolRun(world, { gate: { permission: 'review' }, addresses: [address(world.ws, 'confirm')] });
    const prepared = await asking.prepare('create_file', { path: 'swap3/x.txt', content: 'x' });
    if (prepared.go !== 'ask') throw new Error(prepared.go);
    renameSync(at('swap3'), at('away'));
    symlinkSync('src', at('swap3'));
    expect((await prepared.run(new AbortController().signal)).code).toBe('gate.moved');
    expect(existsSync(at('src/x.txt'))).toBe(false);
  });
  it('[case 33] refuses to write through a link out of the address, under full access too', async () => {
    symlinkSync(join(world.out, 'canary.txt'), at('notes.md'));
    symlinkSync(join(world.out, 'new.txt'), at('dangling.md'));
    expect((await run.call('write_file', { path: 'notes.md', content: 'x' })).code).toBe('gate.link.outside');
    expect((await run.call('create_file', { path: 'dangling.md', content: 'x' })).code).toBe('gate.link.dangling');
    expect(existsSync(join(world.out, 'new.txt'))).toBe(false);
    expect(readFileSync(join(world.out, 'canary.txt'), 'utf8')).toBe(world.canary);
  });
  it('[WA-PLAN-02] shows on the card what will happen, bound to both contents', async () => {
    const asking = toolRun(world, { gate: { permission: 'review' }, addresses: [address(world.ws, 'confirm')] });
    const prepared = await asking.prepare('edit_file', { path: 'a.txt', edits: [{ oldText: 'plain', newText: 'fancy' }] });
    if (prepared.go !== 'ask') throw new Error(prepared.go);
    const { plan } = prepared;
    expect(plan).toMatchObject({ op: 'edit', path: at('a.txt'), kind: 'file', address: ADDRESS, added: 1, removed: 1, risk: 'high', strong: false, shown: { key: 'tool.edit', params: { name: 'a.txt' } } });
    expect(Buffer.from(asking.kit.blobs.all.get(plan.after!.hash!)!).toString()).toBe('fancy\n');
    expect(Buffer.from(asking.kit.blobs.all.get(plan.before!.hash!)!).toString()).toBe('plain\n');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
  });
  it('[WA-PLAN-03] [WA-TRASH-03] asks strongly before a folder goes, with its count', async () => {
    const asking = toolRun(world, { gate: { permission: 'review' } });
    const prepared = await asking.prepare('trash_file', { path: 'src' });
    expect(prepared).toMatchObject({ go: 'ask', plan: { strong: true, kind: 'folder', warnings: [{ key: 'warn.onlyInTrash' }, { key: 'warn.folder', params: { files: 1, folders: 0 } }] } });
  });
  it('[C-01] always asks for the local assistant, also where writing is direct, and leaves its copy', async () => {
    const local = toolRun(world, { gate: { caller: 'local' } });
    const prepared = await local.prepare('write_file', { path: 'src/main.cpp', content: 'new\n' });
    if (prepared.go !== 'ask') throw new Error(prepared.go);
    expect(existsSync(at('.desktoppet'))).toBe(false);
    expect((await prepared.run(new AbortController().signal)).outcome).toBe('ok');
    expect(readFileSync(at('.desktoppet/backups/src__main.cpp.20260102-030405.bak'), 'utf8')).toBe('int main() { return 0; }\n');
    expect(existsSync(at('.desktoppet/backups/src__main.cpp.20260102-030405.bak'))).toBe(true);
  });
  it('[WA-WRITE-06] writes no copy through a link', async () => {
    symlinkSync(world.out, at('.desktoppet'));
    const local = toolRun(world, { gate: { caller: 'local' } });
    expect((await local.call('write_file', { path: 'a.txt', content: 'x' })).code).toBe('change.backup');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
  });
  it('P010 [WA-CFILE-02] creates a file with its folders, and takes them back when it fails', async () => {
    expect((await run.call('create_file', { path: 'new/deep/test.txt', content: 'x\n' })).outcome).toBe('ok');
    expect(run.kit.journal.entries.filter((one) => one.what === 'changed').map((one) => one.data!.op)).toEqual(['mkdir', 'mkdir', 'create']);
    expect((await run.call('create_file', { path: 'new/deep/test.txt', content: 'y' })).code).toBe('change.exists');
    const prepared = await run.prepare('copy_file', { path: 'a.txt', to: 'fresh/b.txt' });
    if (prepared.go !== 'do') throw new Error(prepared.go);
    writeFileSync(at('a.txt'), 'changed');
    expect((await prepared.run(new AbortController().signal)).code).toBe('change.stale');
    expect(existsSync(at('fresh'))).toBe(false);
  });
  it.each([
    ['copy_file', { path: 'id_rsa', to: 'notes.txt' }, 'gate.sensitive'], ['move_file', { path: 'token.json', to: 'notes.txt' }, 'gate.sensitive'], ['copy_file', { path: 'README.md', to: 'x.exe' }, 'gate.dangerous'],
    ['copy_file', { path: 'README.md', to: 'README.md' }, 'change.exists'], ['copy_file', { path: 'src', to: 'src2' }, 'tool.oneFolder'], ['move_file', { path: 'docs', to: 'docs/inner' }, 'change.intoItself'],
    ['rename_file', { path: 'README.md', name: 'docs/README.md' }, 'gate.name.separator'], ['rename_file', { path: 'README.md', name: '' }, 'gate.name.empty'], ['rename_file', { path: 'a.txt', name: 'a.exe' }, 'gate.dangerous'],
    ['rename_file', { path: 'a.txt', name: 'README.md' }, 'change.exists'], ['trash_file', { path: '.' }, 'gate.root.itself'], ['create_file', { path: 'credentials.json', content: '' }, 'gate.sensitive'], ['write_file', { path: '.git/config', content: '' }, 'gate.repository'],
    ['create_folder', { path: 'docs' }, 'change.exists'], ['trash_file', { path: ['a', 'b'] }, 'tool.arguments'], ['write_file', { path: 'a.txt', content: 'plain\n' }, 'edit.same'],
  ])('refuses %s %j: %s', async (name, args, code) => {
    const before = treeHash(world.base, new Set([join(world.base, 'share')]));
    expect((await run.call(name, args)).code).toBe(code);
    expect(treeHash(world.base, new Set([join(world.base, 'share')]))).toBe(before);
  });
  it('moves, renames and trashes, and remembers the file under its new name', async () => {
    await run.call('read_file', { path: 'a.txt' });
    expect((await run.call('move_file', { path: 'a.txt', to: 'docs/b.txt' })).outcome).toBe('ok');
    expect((await run.call('rename_file', { path: 'docs/b.txt', name: 'c.txt' })).outcome).toBe('ok');
    expect((await run.call('edit_file', { path: 'docs/c.txt', edits: [{ oldText: 'plain', newText: 'x' }] })).outcome).toBe('ok');
    expect((await run.call('trash_file', { path: 'docs/c.txt' })).outcome).toBe('ok');
    expect(readdirSync(at('docs'))).toEqual([]);
  });
  it('P245 asks before a write that shows under another name too', async () => {
    linkSync(join(world.out, 'canary.txt'), at('h.txt'));
    const direct = toolRun(world, { gate: { permission: 'review' } });
    expect((await direct.prepare('write_file', { path: 'h.txt', content: 'x' })).go).toBe('ask');
  });
  it('[WA-PRINCIPLE-05] [WA-TESTTRASH-04] has no tool that deletes for good', () => {
    const names = [...createTools().keys()];
    expect(names).toEqual(expect.arrayContaining(['copy_file', 'create_file', 'create_folder', 'edit_file', 'file_info', 'list_files', 'move_file', 'read_file', 'read_image', 'rename_file', 'replace_all', 'search_files', 'search_text', 'trash_file', 'write_file']));
    expect(names.filter((name) => /delete|remove|erase|purge|empty/.test(name))).toEqual([]);
  });
  it('describes its arguments as a plain JSON schema', () => {
    for (const tool of createTools().values()) expect(tool.schema).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
