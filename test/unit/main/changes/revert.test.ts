import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change, FileState } from '#domain/events/index.ts';
import type { ChangedExtra, ChangeRequest } from '#main/changes/types.ts';
import { makeChanges, request } from '#test/support/changes/stores.ts';
import { makeWorld, treeHash, type World } from '#test/support/changes/world.ts';

const text = (value: string) => new TextEncoder().encode(value);
let world: World;
let at: (name: string) => string;
let kit: ReturnType<typeof makeChanges>;
beforeEach(() => {
  world = makeWorld();
  at = (name) => join(world.ws, name);
  kit = makeChanges(world);
});
afterEach(() => world.clean());

const now = async (path: string): Promise<FileState | null> => {
  const state = await kit.changes.inspect(path);
  if (!state.ok) throw new Error(state.error.code);
  return state.value;
};
const codeOf = (result: { ok: boolean; error?: { code: string } }) => (result.ok ? 'ok' : result.error!.code);
const done = () => kit.journal.entries.filter((one) => one.what === 'changed').map((one) => one.data!);
const content = async (path: string, value: string) => kit.changes.apply(request('write', path, { content: text(value), expected: await now(path) }));

/** The request that takes one recorded change back. */
function inverse(change: Change & ChangedExtra, force = false): ChangeRequest {
  const more = { expected: change.after, force };
  if (change.op === 'move' || change.op === 'rename') return request('revert', change.to!, { ...more, to: change.path });
  if (change.op === 'copy') return request('revert', change.to!, { ...more, restore: null });
  if (change.trashed) return request('revert', change.path, { ...more, untrash: change.trashed, restore: change.before });
  return request('revert', change.path, { ...more, restore: change.before });
}
const revertAll = async (count = done().length) => {
  const codes: string[] = [];
  for (const change of done().slice(0, count).reverse()) codes.push(codeOf(await kit.changes.apply(inverse(change))));
  return codes;
};

describe('taking back', () => {
  it('[case 1] changes only what the run changed', async () => {
    const w2 = join(world.base, 'w2');
    mkdirSync(w2);
    for (const path of [at('keep.txt'), join(w2, 'b.txt')]) writeFileSync(path, 'theirs');
    const before = [treeHash(world.ws), treeHash(w2)];
    await content(at('a.txt'), 'ai');
    expect(await revertAll()).toEqual(['ok']);
    expect([treeHash(world.ws), treeHash(w2)]).toEqual(before);
  });
  it('[case 3] leaves a repository as the person left it', async () => {
    const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: world.ws, encoding: 'utf8' });
    git('init', '-q');
    writeFileSync(at('f.md'), 'v1\n');
    git('add', 'f.md');
    git('commit', '-qm', 'C1');
    await content(at('f.md'), 'v2\n');
    git('commit', '-qam', 'C2');
    const head = [git('rev-parse', 'HEAD'), git('branch'), treeHash(at('.git'))];
    expect(await revertAll()).toEqual(['ok']);
    expect(treeHash(at('.git'))).toBe(head[2]);
    expect([git('rev-parse', 'HEAD'), git('branch')]).toEqual(head.slice(0, 2));
    expect(readFileSync(at('f.md'), 'utf8')).toBe('v1\n');
  });
  it('[case 4] keeps what another program wrote meanwhile, also in a folder of ours', async () => {
    await kit.changes.apply(request('mkdir', at('output')));
    await kit.changes.apply(request('create', at('output/ai.md'), { content: text('ai') }));
    for (const name of ['data.jsonl', 'r.xlsx']) writeFileSync(at(`output/${name}`), 'theirs');
    expect(await revertAll()).toEqual(['ok', 'change.folderNotEmpty']);
    expect(readdirSync(at('output')).sort()).toEqual(['data.jsonl', 'r.xlsx']);
  });
  it('[case 6] refuses without the blob and never takes an update for a creation', async () => {
    await content(at('a.txt'), 'plain\nmore\n');
    const first = done()[0]!;
    kit.blobs.all.delete(first.before!.hash!);
    expect(codeOf(await kit.changes.apply(inverse(first)))).toBe('change.noBlob');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\nmore\n');
    kit.blobs.all.set(first.before!.hash!, text('plain\n'));
    expect(codeOf(await kit.changes.apply(inverse(first)))).toBe('ok');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
  });
  it('[case 7] [WB-APPLY-004-AC2] asks before a later save, keeps it first, and undoes the revert byte for byte', async () => {
    await content(at('a.txt'), 'v2\n');
    writeFileSync(at('a.txt'), 'v3 by the person\n');
    const record = done()[0]!;
    expect(codeOf(await kit.changes.apply(inverse(record)))).toBe('change.stale');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('v3 by the person\n');
    const forced = await kit.changes.apply(inverse(record, true));
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
    expect(forced.ok && Buffer.from(kit.blobs.all.get(forced.value.kept!.hash!)!).toString()).toBe('v3 by the person\n');
    expect(codeOf(await kit.changes.apply(inverse(done()[1]!)))).toBe('ok');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('v3 by the person\n');
  });
  it('[case 11] keeps each content once', async () => {
    for (let i = 0; i < 50; i++) await content(at('a.txt'), i % 2 === 0 ? 'even\n' : 'odd\n');
    expect(kit.blobs.all.size).toBe(3);
  });
  it('[case 13] [WB-APPLY-003-AC2] removes what was created and empties what was empty', async () => {
    await kit.changes.apply(request('create', at('new.md'), { content: text('x') }));
    writeFileSync(at('__init__.py'), '');
    await content(at('__init__.py'), 'line\n');
    expect(await revertAll()).toEqual(['ok', 'ok']);
    expect(existsSync(at('new.md'))).toBe(false);
    expect(readFileSync(at('__init__.py')).length).toBe(0);
    // The removal went to the trash and is itself taken back.
    const removal = done().find((one) => one.op === 'revert' && one.after === null)!;
    expect(codeOf(await kit.changes.apply(inverse(removal)))).toBe('ok');
    expect(readFileSync(at('new.md'), 'utf8')).toBe('x');
  });
  it('takes a whole run back in reverse: folder, file, edit, move, copy, trash', async () => {
    const before = treeHash(world.ws);
    await kit.changes.apply(request('mkdir', at('arch')));
    await content(at('a.txt'), 'edited\n');
    await kit.changes.apply(request('move', at('a.txt'), { to: at('arch/b.txt'), expected: await now(at('a.txt')) }));
    await kit.changes.apply(request('copy', at('arch/b.txt'), { to: at('arch/c.txt'), expected: await now(at('arch/b.txt')) }));
    await kit.changes.apply(request('create', at('arch/d.txt'), { content: text('d') }));
    await kit.changes.apply(request('trash', at('README.md'), { expected: await now(at('README.md')) }));
    expect(await revertAll()).toEqual(Array(6).fill('ok'));
    expect(treeHash(world.ws)).toBe(before);
  });
  it('puts back a file that the person removed only after a second yes', async () => {
    await content(at('a.txt'), 'v2\n');
    renameSync(at('a.txt'), join(world.base, 'elsewhere.txt'));
    const record = done()[0]!;
    expect(codeOf(await kit.changes.apply(inverse(record)))).toBe('change.stale');
    expect(codeOf(await kit.changes.apply(inverse(record, true)))).toBe('ok');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
  });
  it('[case 33] never writes through a link that took the file\'s place', async () => {
    await content(at('a.txt'), 'v2\n');
    renameSync(at('a.txt'), at('a2.txt'));
    symlinkSync(join(world.out, 'canary.txt'), at('a.txt'));
    expect(codeOf(await kit.changes.apply(inverse(done()[0]!, true)))).toBe('change.link');
    expect(readFileSync(join(world.out, 'canary.txt'), 'utf8')).toBe(world.canary);
  });
});

describe('after a crash', () => {
  const intent = async (op: Change['op'], path: string, before: FileState | null, after: FileState | null, to?: string): Promise<Change> => ({
    change: ('change_' + 'c'.repeat(26)) as Change['change'], call: null, op, path, ...(to ? { to } : {}), kind: 'file', address: null, before, after,
  });
  it('settles by hash, never by guessing', async () => {
    const before = await now(at('a.txt'));
    writeFileSync(at('later.txt'), 'after\n');
    const after = await now(at('later.txt'));
    const one = await intent('write', at('a.txt'), before, after);
    expect((await kit.changes.settle([one]))[0]!.outcome).toBe('notApplied');
    writeFileSync(at('a.txt'), 'after\n');
    expect((await kit.changes.settle([one]))[0]!.outcome).toBe('applied');
    writeFileSync(at('a.txt'), 'somebody else\n');
    expect((await kit.changes.settle([one]))[0]!.outcome).toBe('unknown');
  });
  it('sweeps only what is ours and known', async () => {
    const id = 'c'.repeat(26);
    const mine = await intent('write', at('a.txt'), await now(at('a.txt')), null);
    writeFileSync(at(`.curator-${id}.tmp`), 'half a te');
    writeFileSync(at(`.curator-${'d'.repeat(26)}.tmp`), 'nobody planned this');
    writeFileSync(at('.curator-notes.tmp'), 'a file of the person');
    writeFileSync(at(`.curator-${id}.keep`), 'a save caught in the gap');
    const swept = await kit.changes.sweepLeftovers([world.ws], [mine]);
    expect(swept).toMatchObject({ removed: 2, left: [at(`.curator-${'d'.repeat(26)}.tmp`)] });
    expect(Buffer.from(kit.blobs.all.get(swept.kept[0]!.state.hash!)!).toString()).toBe('a save caught in the gap');
    expect(readdirSync(world.ws).filter((name) => name.startsWith('.curator')).sort()).toEqual([`.curator-${'d'.repeat(26)}.tmp`, '.curator-notes.tmp'].sort());
  });
});
