import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeChanges, request } from '#test/support/changes/stores.ts';
import { codeOf, eachWorld, stateNow } from '#test/support/changes/each-world.ts';

const each = eachWorld();
const { at } = each;


describe('the trash', () => {
  it('[WA-TRASH-01] [case 9] sends a file there with its name written down, and brings it back byte for byte', async () => {
    const kit = makeChanges(each.world);
    writeFileSync(at('d 文.txt'), 'keep me\n');
    const gone = await kit.changes.apply(request('trash', at('d 文.txt'), { expected: await stateNow(kit, at('d 文.txt')) }));
    if (!gone.ok) throw new Error(gone.error.code);
    expect(existsSync(at('d 文.txt'))).toBe(false);
    expect(readFileSync(gone.value.trashed!.info!, 'utf8')).toContain(`Path=${at('d 文.txt').split('/').map(encodeURIComponent).join('/')}\n`);
    expect(codeOf(await kit.changes.apply(request('revert', at('d 文.txt'), { untrash: gone.value.trashed!, restore: gone.value.change.before })))).toBe('ok');
    expect(readFileSync(at('d 文.txt'), 'utf8')).toBe('keep me\n');
    expect(existsSync(gone.value.trashed!.info!)).toBe(false);
  });
  it('[case 9] brings a file back from its blob when the trash was emptied', async () => {
    const kit = makeChanges(each.world);
    const gone = await kit.changes.apply(request('trash', at('a.txt'), { expected: await stateNow(kit, at('a.txt')) }));
    if (!gone.ok) throw new Error(gone.error.code);
    unlinkSync(gone.value.trashed!.file);
    expect(codeOf(await kit.changes.apply(request('revert', at('a.txt'), { untrash: gone.value.trashed!, restore: gone.value.change.before })))).toBe('ok');
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('plain\n');
  });
  it('moves a link itself and never its target', async () => {
    const kit = makeChanges(each.world);
    symlinkSync(each.world.out, at('trashme'));
    expect(codeOf(await kit.changes.apply(request('trash', at('trashme'), { expected: await stateNow(kit, at('trashme')) })))).toBe('ok');
    expect(readFileSync(join(each.world.out, 'canary.txt'), 'utf8')).toBe(each.world.canary);
    expect(() => lstatSync(at('trashme'))).toThrow();
  });
  it('[WA-TESTTRASH-02] sends a folder there and brings it back whole', async () => {
    const kit = makeChanges(each.world);
    mkdirSync(at('pile'));
    writeFileSync(at('pile/1.txt'), '1');
    const gone = await kit.changes.apply(request('trash', at('pile'), { expected: await stateNow(kit, at('pile')) }));
    if (!gone.ok) throw new Error(gone.error.code);
    expect(codeOf(await kit.changes.apply(request('revert', at('pile'), { untrash: gone.value.trashed!, restore: gone.value.change.before })))).toBe('ok');
    expect(readFileSync(at('pile/1.txt'), 'utf8')).toBe('1');
  });
});
