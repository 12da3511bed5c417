import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeChanges, request } from '#test/support/changes/stores.ts';
import { makeWorld, type World } from '#test/support/changes/world.ts';

/** Needs the right to mount; the port-level tests beside this one cover the same without it. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const world = makeWorld();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', world.out], { stdio: 'ignore' });
    execFileSync('umount', [world.out], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    world.clean();
  }
}

// Skipped only where the person may not mount: no right, no second disk; `changes.test.ts` fills it at the port there.
describe.skipIf(!canMount())('a second, very small disk', () => {
  let world: World;
  let disk: string;
  beforeEach(() => {
    world = makeWorld();
    disk = join(world.ws, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  });
  afterEach(() => {
    execFileSync('umount', [disk]);
    world.clean();
  });
  const stateOf = async (kit: ReturnType<typeof makeChanges>, path: string) => {
    const state = await kit.changes.inspect(path);
    return state.ok ? state.value : null;
  };

  it('[WA-TESTWRITE-06] leaves a file whole when its disk is really full, and works again when there is room', async () => {
    const kit = makeChanges(world);
    const path = join(disk, 'a.txt');
    const old = 'old '.repeat(25_000);
    writeFileSync(path, old);
    const fresh = new TextEncoder().encode('new '.repeat(50_000));
    expect(await kit.changes.apply(request('write', path, { content: fresh, expected: await stateOf(kit, path) }))).toMatchObject({ error: { code: 'change.full' } });
    expect(await kit.changes.apply(request('create', join(disk, 'b.txt'), { content: fresh }))).toMatchObject({ error: { code: 'change.full' } });
    expect(readFileSync(path, 'utf8')).toBe(old);
    expect(readdirSync(disk)).toEqual(['a.txt']);
    execFileSync('mount', ['-o', 'remount,size=2m', disk]);
    expect((await kit.changes.apply(request('write', path, { content: fresh, expected: await stateOf(kit, path) }))).ok).toBe(true);
  });
  it('moves a file between disks by a checked copy, both ways, and refuses a folder', async () => {
    const kit = makeChanges(world);
    const here = join(world.ws, 'a.txt');
    const there = join(disk, 'a.txt');
    expect((await kit.changes.apply(request('move', here, { to: there, expected: await stateOf(kit, here) }))).ok).toBe(true);
    expect([existsSync(here), readFileSync(there, 'utf8')]).toEqual([false, 'plain\n']);
    expect((await kit.changes.apply(request('revert', there, { to: here, expected: await stateOf(kit, there) }))).ok).toBe(true);
    expect([existsSync(there), readFileSync(here, 'utf8'), statSync(here).nlink]).toEqual([false, 'plain\n', 1]);
    const folder = join(world.ws, 'src');
    expect(await kit.changes.apply(request('move', folder, { to: join(disk, 'src'), expected: await stateOf(kit, folder) }))).toMatchObject({ error: { code: 'change.crossDevice' } });
    expect(readdirSync(disk)).toEqual([]);
  });
  it('[WA-TRASH-01] uses the trash of the file\'s own disk, and brings it back', async () => {
    const kit = makeChanges(world);
    const path = join(disk, 'c.txt');
    writeFileSync(path, 'c');
    const gone = await kit.changes.apply(request('trash', path, { expected: await stateOf(kit, path) }));
    if (!gone.ok) throw new Error(gone.error.code);
    expect(gone.value.trashed!.file).toBe(join(disk, `.Trash-${process.getuid!()}`, 'files', 'c.txt'));
    expect(readFileSync(gone.value.trashed!.info!, 'utf8')).toContain('Path=c.txt\n');
    expect((await kit.changes.apply(request('revert', path, { untrash: gone.value.trashed!, restore: gone.value.change.before }))).ok).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('c');
  });
});
