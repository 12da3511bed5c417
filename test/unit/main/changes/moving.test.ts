import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FsPort } from '#main/ports/fs.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { makeChanges, request } from '#test/support/changes/stores.ts';
import { codeOf, eachWorld, stateNow } from '#test/support/changes/each-world.ts';

const each = eachWorld();
const { at } = each;


const text = (value: string) => new TextEncoder().encode(value);

const leftovers = () => readdirSync(each.world.ws, { recursive: true }).filter((name) => String(name).includes('.curator-'));

describe('moving, copying, folders', () => {
  it('[WA-MOVE-03] [WA-COPY-03] [WA-RENAME-03] refuses an existing target and keeps both files', async () => {
    const kit = makeChanges(each.world);
    for (const op of ['move', 'copy', 'rename'] as const)
      expect(codeOf(await kit.changes.apply(request(op, at('a.txt'), { to: at('README.md'), expected: await stateNow(kit, at('a.txt')) })))).toBe('change.exists');
    expect(readFileSync(at('README.md'), 'utf8')).toBe('# Read me\n');
  });
  it('moves a file and a folder, and back', async () => {
    const kit = makeChanges(each.world);
    const file = await kit.changes.apply(request('move', at('a.txt'), { to: at('docs/b.txt'), expected: await stateNow(kit, at('a.txt')) }));
    expect(file).toMatchObject({ ok: true, value: { change: { op: 'move', before: { size: 6 }, after: { size: 6 } } } });
    expect(existsSync(at('a.txt'))).toBe(false);
    expect(statSync(at('docs/b.txt')).nlink).toBe(1);
    expect(codeOf(await kit.changes.apply(request('move', at('docs'), { to: at('src/docs'), expected: await stateNow(kit, at('docs')) })))).toBe('ok');
    expect(codeOf(await kit.changes.apply(request('move', at('src'), { to: at('src/docs/src'), expected: await stateNow(kit, at('src')) })))).toBe('change.intoItself');
    expect(codeOf(await kit.changes.apply(request('revert', at('src/docs'), { to: at('docs'), expected: await stateNow(kit, at('src/docs')) })))).toBe('ok');
    expect(codeOf(await kit.changes.apply(request('revert', at('docs/b.txt'), { to: at('a.txt'), expected: await stateNow(kit, at('docs/b.txt')) })))).toBe('ok');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
    expect(leftovers()).toEqual([]);
  });
  it('puts back a save that came while the file was being moved', async () => {
    const real = realFs();
    const racing: FsPort = {
      ...real,
      rename: async (from, to) => {
        if (to.endsWith('.keep')) {
          writeFileSync(at('save.tmp'), 'their save\n');
          renameSync(at('save.tmp'), at('a.txt'));
        }
        return real.rename(from, to);
      },
    };
    const kit = makeChanges(each.world, { fs: racing });
    expect(codeOf(await kit.changes.apply(request('move', at('a.txt'), { to: at('docs/a.txt'), expected: await stateNow(kit, at('a.txt')) })))).toBe('change.stale');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('their save\n');
    expect(existsSync(at('docs/a.txt'))).toBe(false);
    expect(leftovers()).toEqual([]);
  });
  it('moves a file to another disk by a checked copy, and refuses a folder', async () => {
    const real = realFs();
    const exdev = () => Promise.reject(Object.assign(new Error('EXDEV'), { code: 'EXDEV' }));
    const other: FsPort = {
      ...real,
      link: (from, to) => (from.includes('.tmp') || from.includes('.keep') ? real.link(from, to) : exdev()),
      rename: (from, to) => (to.endsWith('.keep') ? real.rename(from, to) : exdev()),
    };
    const kit = makeChanges(each.world, { fs: other });
    expect(codeOf(await kit.changes.apply(request('move', at('a.txt'), { to: at('docs/a.txt'), expected: await stateNow(kit, at('a.txt')) })))).toBe('ok');
    expect([existsSync(at('a.txt')), readFileSync(at('docs/a.txt'), 'utf8')]).toEqual([false, 'plain\n']);
    expect(codeOf(await kit.changes.apply(request('move', at('docs'), { to: at('src/docs'), expected: await stateNow(kit, at('docs')) })))).toBe('change.crossDevice');
    expect(leftovers()).toEqual([]);
  });
  it('copies with the same bytes and mode', async () => {
    const kit = makeChanges(each.world);
    chmodSync(at('a.txt'), 0o600);
    expect(codeOf(await kit.changes.apply(request('copy', at('a.txt'), { to: at('docs/c.txt'), expected: await stateNow(kit, at('a.txt')) })))).toBe('ok');
    expect(readFileSync(at('docs/c.txt'), 'utf8')).toBe('plain\n');
    expect(statSync(at('docs/c.txt')).mode & 0o777).toBe(0o600);
  });
  it('[case 35] changes only the case of a name on a volume that ignores case, with an edit, and back', async () => {
    const kit = makeChanges(each.world, { fs: ignoringCase(realFs()) });
    writeFileSync(at('notes.txt'), 'old\n');
    const before = (await stateNow(kit, at('notes.txt')))!;
    await kit.changes.apply(request('edit', at('notes.txt'), { content: text('edited\n'), expected: before }));
    expect(codeOf(await kit.changes.apply(request('rename', at('notes.txt'), { to: at('Notes.txt'), expected: await stateNow(kit, at('notes.txt')) })))).toBe('ok');
    expect(readdirSync(each.world.ws).filter((name) => /notes/i.test(name))).toEqual(['Notes.txt']);
    expect(readFileSync(at('Notes.txt'), 'utf8')).toBe('edited\n');
    expect(codeOf(await kit.changes.apply(request('revert', at('Notes.txt'), { to: at('notes.txt'), expected: await stateNow(kit, at('Notes.txt')) })))).toBe('ok');
    const old = kit.journal.entries[0]!.data!.before!;
    expect(codeOf(await kit.changes.apply(request('revert', at('notes.txt'), { restore: old, expected: await stateNow(kit, at('notes.txt')) })))).toBe('ok');
    expect(readdirSync(each.world.ws).filter((name) => /notes/i.test(name))).toEqual(['notes.txt']);
    expect(readFileSync(at('notes.txt'), 'utf8')).toBe('old\n');
  });
  it('[case 39] stops at a cloud stub: no copy, no move, no trash', async () => {
    const kit = makeChanges(each.world);
    writeFileSync(at('docs/合同.docx'), '');
    writeFileSync(at('docs/.合同.docx.icloud'), 'stub');
    for (const op of ['move', 'copy', 'trash', 'write'] as const)
      expect(codeOf(await kit.changes.apply(request(op, at('docs/合同.docx'), { to: at('x.docx'), content: text('x'), expected: await stateNow(kit, at('docs/合同.docx')) })))).toBe('change.placeholder');
    expect(codeOf(await kit.changes.apply(request('trash', at('docs'), { expected: await stateNow(kit, at('docs')) })))).toBe('change.placeholder');
    expect(readdirSync(at('docs')).sort()).toEqual(['.合同.docx.icloud', '合同.docx']);
  });
  it('[WA-CDIR-02] makes a folder once', async () => {
    const kit = makeChanges(each.world);
    expect(codeOf(await kit.changes.apply(request('mkdir', at('new'))))).toBe('ok');
    expect(codeOf(await kit.changes.apply(request('mkdir', at('new'))))).toBe('change.exists');
    expect(codeOf(await kit.changes.apply(request('mkdir', at('no/such/parent'))))).toBe('change.folderMissing');
  });
});

/** A volume that ignores case, on top of one that does not: names are looked up before they are used. */
function ignoringCase(fs: FsPort): FsPort {
  const stored = async (path: string): Promise<string> => {
    const cut = path.lastIndexOf('/');
    const names = await fs.readdir(path.slice(0, cut) || '/').catch(() => []);
    const hit = names.find((one) => one.name === path.slice(cut + 1)) ?? names.find((one) => one.name.toLowerCase() === path.slice(cut + 1).toLowerCase());
    return hit === undefined ? path : path.slice(0, cut + 1) + hit.name;
  };
  return {
    ...fs,
    open: async (path, flags, mode) => fs.open(await stored(path), flags, mode),
    lstat: async (path) => fs.lstat(await stored(path)),
    stat: async (path) => fs.stat(await stored(path)),
    unlink: async (path) => fs.unlink(await stored(path)),
    link: async (from, to) => fs.link(await stored(from), await stored(to)),
    rename: async (from, to) => {
      const [source, target] = [await stored(from), await stored(to)];
      // Two handles of one folder spell its path differently.
      const same = source.split('/').at(-1) === target.split('/').at(-1) && source.split('/').at(-1)!.toLowerCase() === to.split('/').at(-1)!.toLowerCase();
      return fs.rename(source, same ? to : target);
    },
  };
}
