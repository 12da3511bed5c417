import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toolRun, type ToolRun } from '#test/support/changes/tools.ts';
import { makeWorld, type World } from '#test/support/changes/world.ts';

let world: World;
let at: (name: string) => string;
let run: ToolRun;
beforeEach(() => {
  world = makeWorld();
  at = (name) => join(world.ws, name);
  run = toolRun(world);
});
afterEach(() => world.clean());

describe('reading tools', () => {
  it('[WA-LIST-02] lists at most 200 entries and says how many more there are', async () => {
    mkdirSync(at('many'));
    for (let i = 0; i < 230; i++) writeFileSync(at(`many/${String(i).padStart(3, '0')}.txt`), '');
    const out = await run.call('list_files', { path: 'many' });
    expect(out.text.split('\n')).toHaveLength(201);
    expect(out.text).toContain('[30 more entries left out]');
    expect((await run.call('list_files', { path: 'docs' })).text).toBe('(empty folder)');
  });
  it('[WA-READ-02] reads 128 KB and says that there is more, with the character at the cut whole', async () => {
    writeFileSync(at('big.txt'), 'a' + '中文字\n'.repeat(30_000));
    const out = await run.call('read_file', { path: 'big.txt' });
    expect(out.text).toContain('only the first 128 KB');
    expect(out.text).not.toContain('\ufffd');
    expect(out.text.length).toBeLessThan(60_000);
  });
  it('[WB-CORE-006-B1] reads a range of lines', async () => {
    writeFileSync(at('lines.txt'), Array.from({ length: 100 }, (_, i) => `line ${i + 1}\r\n`).join(''));
    const out = await run.call('read_file', { path: 'lines.txt', from: 10, to: 11 });
    expect(out.text).toBe('[lines.txt: CRLF line ends; lines 10–11 of 100]\nline 10\r\nline 11\r\n');
  });
  it.each([['.env', 'gate.sensitive'], ['id_rsa', 'gate.sensitive'], ['nope.txt', 'change.missing'], ['src', 'tool.folder'], ['bin.dat', 'text.binary'], ['latin.txt', 'text.notUtf8'], ['/etc/passwd', 'gate.system']])('[WA-READ-01] [WA-READ-03] does not read %s: %s', async (path, code) => {
    writeFileSync(at('bin.dat'), new Uint8Array([1, 0, 2]));
    writeFileSync(at('latin.txt'), new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
    const out = await run.call('read_file', { path });
    expect(out).toMatchObject({ code });
    expect(out.text).not.toContain(world.canary);
  });
  it('[case 21] reads UTF-16 as text without a NUL', async () => {
    writeFileSync(at('u.txt'), new Uint8Array([0xff, 0xfe, 0x68, 0, 0x69, 0, 0x0a, 0]));
    const out = await run.call('read_file', { path: 'u.txt' });
    expect(out.text).toBe('[u.txt: UTF-16LE, cannot be edited]\nhi\n');
    expect((await run.call('edit_file', { path: 'u.txt', edits: [{ oldText: 'hi', newText: 'ho' }] })).code).toBe('text.notUtf8');
  });
  it('[case 23] opens the file that is spelled the other way, under its real name', async () => {
    const nfd = 'Übung 가.md'.normalize('NFD');
    writeFileSync(at(nfd), 'found\n');
    const out = await run.call('read_file', { path: 'Übung 가.md'.normalize('NFC') });
    expect(out).toMatchObject({ outcome: 'ok', data: { path: at(nfd) } });
    await run.call('edit_file', { path: 'Übung 가.md'.normalize('NFC'), edits: [{ oldText: 'found', newText: 'changed' }] });
    expect(run.kit.journal.entries.at(-1)!.data!.path).toBe(at(nfd));
    expect((await run.call('create_file', { path: 'Übung 가.md'.normalize('NFC'), content: 'x' })).code).toBe('change.exists');
    expect(readdirSync(world.ws).filter((name) => name.normalize('NFC').startsWith('Übung'))).toEqual([nfd]);
  });
  it('[case 39] does not take a cloud stub for an empty file', async () => {
    writeFileSync(at('合同.txt'), '');
    writeFileSync(at('.合同.txt.icloud'), 'stub');
    expect((await run.call('read_file', { path: '合同.txt' })).code).toBe('change.placeholder');
  });
  it('[WA-SFILE-02] [WA-SFILE-03] finds files, the better match first, and skips produced folders', async () => {
    for (const dir of ['node_modules', 'build', '.hidden', 'lib']) {
      mkdirSync(at(dir));
      writeFileSync(at(`${dir}/main.md`), 'x');
    }
    const out = await run.call('search_files', { query: 'MAIN' });
    expect((out.data as { files: { shown: string }[] }).files.map((one) => one.shown).sort()).toEqual(['lib/main.md', 'src/main.cpp']);
    expect((await run.call('search_files', { query: '.cpp' })).text).toContain('src/main.cpp');
    expect((await run.call('search_files', { query: 'nothing here' })).text).toContain('No file matches');
  });
  it('[WA-STEXT-02] [WA-STEXT-04] finds text with line and snippet, never a secret, never behind a link', async () => {
    symlinkSync(world.out, at('linked'));
    writeFileSync(at('src/k.md'), `one\ntwo 关键词 here\nSECRET=not it\n`);
    writeFileSync(at('huge.txt'), '关键词\n');
    truncateSync(at('huge.txt'), 3 * 1024 * 1024);
    const out = await run.call('search_text', { query: '关键词' });
    expect(out.text).toContain('src/k.md:2: two 关键词 here');
    expect(out.text).toContain('1 files above 2 MB skipped');
    const secret = await run.call('search_text', { query: 'canary-' });
    expect(secret.text).not.toContain(world.canary);
    expect(secret.text).toContain('No match');
    expect(secret.text).toContain('4 files that may hold secrets skipped');
    expect((await run.call('search_text', { query: 'SECRET', path: '.env' })).code).toBe('gate.sensitive');
  });
  it('reads an image by its bytes into a blob', async () => {
    writeFileSync(at('p.png'), new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]));
    writeFileSync(at('fake.png'), 'text');
    expect((await run.call('read_image', { path: 'p.png' })).images).toHaveLength(1);
    expect((await run.call('read_image', { path: 'fake.png' })).code).toBe('tool.notImage');
  });
  it('tells about a file, but not about one that may hold secrets', async () => {
    expect((await run.call('file_info', { path: 'a.txt' })).data).toMatchObject({ kind: 'file', size: 6, isTextFile: true });
    expect((await run.call('file_info', { path: '.env' })).code).toBe('gate.sensitive');
  });
});
