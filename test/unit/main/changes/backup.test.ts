import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leaveBackup } from '#main/changes/backup.ts';
import { realFs } from '#test/support/changes/real-fs.ts';
import { shortWrites } from '#test/support/fs/faults.ts';

let root: string;
const at = new Date(2026, 11, 1, 9, 5, 7).getTime();
const bytes = Buffer.from('one\ntwo\n');

beforeEach(() => void (root = realpathSync(mkdtempSync(path.join(tmpdir(), 'backup-')))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('[WA-WRITE-06] leaves a dated copy below the work address, and never writes over an earlier one', async () => {
  const first = await leaveBackup(realFs(), root, 'a/b.md', bytes, at);
  const second = await leaveBackup(realFs(), root, 'a/b.md', Buffer.from('later'), at);
  expect([first, second].map((result) => result.ok && result.value)).toEqual(['.desktoppet/backups/a__b.md.20261201-090507.bak', '.desktoppet/backups/a__b.md.20261201-090507-2.bak']);
  expect(readFileSync(path.join(root, '.desktoppet/backups/a__b.md.20261201-090507.bak'))).toEqual(bytes);
});

it('[F6] leaves no half copy when the disk is full, and says the copy failed', async () => {
  const full = shortWrites(realFs(), 1);
  const result = await leaveBackup(full, root, 'a.md', bytes, at);
  expect(full.failed()).toBe(true);
  expect(result).toMatchObject({ ok: false, error: { code: 'change.backup' } });
  expect(readdirSync(path.join(root, '.desktoppet/backups'))).toEqual([]);
});

it('[WA-WRITE-06] writes no copy through a link', async () => {
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'curator-elsewhere-'));
  symlinkSync(elsewhere, path.join(root, '.desktoppet'));
  expect(await leaveBackup(realFs(), root, 'a.md', bytes, at)).toMatchObject({ ok: false, error: { code: 'change.backup' } });
  expect(readdirSync(elsewhere), 'nothing is made behind the link').toEqual([]);
});
