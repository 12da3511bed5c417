import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import { failing } from '#test/support/fs/faults.ts';

let dir: string;
const open = () => createFileSecrets(createNodeFs(), dir);
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'curator-secrets-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('[I13] keeps keys sealed, for this person only, and gives them back to the next process', async () => {
  expect(await open().get('a')).toEqual({ ok: true, value: null });
  expect(readdirSync(dir)).toEqual([]);
  await open().set('a', 'sk-canary');
  await open().set('b', 'sk-other');
  await open().set('b', '');
  expect([await open().get('a'), await open().get('b')]).toEqual([{ ok: true, value: 'sk-canary' }, { ok: true, value: null }]);
  expect(readFileSync(join(dir, 'secrets.enc')).includes('canary')).toBe(false);
  for (const file of ['secrets.enc', 'secrets.key']) expect(statSync(join(dir, file)).mode & 0o777, file).toBe(0o600);
});

it.each([
  ['its own key is gone', () => rmSync(join(dir, 'secrets.key'))],
  ['its own key is cut short', () => writeFileSync(join(dir, 'secrets.key'), 'short')],
  ['its own key is another', () => writeFileSync(join(dir, 'secrets.key'), Buffer.alloc(32, 7))],
  ['it is cut short', () => writeFileSync(join(dir, 'secrets.enc'), 'x')],
])('says so when %s, changes nothing by looking, and keeps it aside when a key is entered again', async (_what, spoil) => {
  await open().set('a', 'sk-canary');
  copyFileSync(join(dir, 'secrets.key'), join(dir, 'backup.key'));
  const sealed = readFileSync(join(dir, 'secrets.enc'));
  spoil();
  const before = readdirSync(dir);
  expect(await open().get('a')).toMatchObject({ ok: false, error: { code: 'secrets.unreadable' } });
  expect(await open().set('a', '')).toMatchObject({ ok: true });
  expect(readdirSync(dir)).toEqual(before);
  expect(await open().set('b', 'sk-new')).toMatchObject({ ok: true });
  expect(await open().get('b')).toEqual({ ok: true, value: 'sk-new' });
  const aside = readdirSync(dir).find((name) => name.startsWith('secrets.enc.unreadable-'))!;
  if (sealed.length === statSync(join(dir, aside)).size) {
    // The backup of its key opens it still.
    copyFileSync(join(dir, aside), join(dir, 'secrets.enc'));
    copyFileSync(join(dir, 'backup.key'), join(dir, 'secrets.key'));
    expect(await open().get('a')).toEqual({ ok: true, value: 'sk-canary' });
  }
});

it('tells a file it may not read from one that is not there, and never overwrites it', async () => {
  await open().set('a', 'sk-canary');
  const secrets = createFileSecrets(failing(createNodeFs(), { nth: 1, errno: 'EACCES', times: 'ever', only: (call) => call.name === 'readFile' }), dir);
  expect(await secrets.get('a')).toMatchObject({ ok: false, error: { code: 'secrets.io', params: { errno: 'EACCES' } } });
  expect(await secrets.set('a', 'sk-new')).toMatchObject({ ok: false, error: { code: 'secrets.io' } });
  chmodSync(dir, 0o700);
  expect(await open().get('a')).toEqual({ ok: true, value: 'sk-canary' });
});
