import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { checkFormat } from '#main/lock/format.ts';
import { acquireLock } from '#main/lock/lock.ts';
import { failing, shortWrites } from '#test/support/fs/faults.ts';

const out = mkdtempSync(join(tmpdir(), 'lock-calls-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));
const disk = createNodeFs();
const ERRORS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EROFS'] as const;

describe('opening a data folder while its disk fails', () => {
  for (const by of ['socket', 'file'] as const) {
    it(`takes the lock or says why, and never keeps one that it did not give, by ${by} [I9] [F5]`, async () => {
      let faults = 0;
      for (const errno of ERRORS) {
        for (const times of ['once', 'ever'] as const) {
          for (let nth = 1; ; nth++) {
            const dir = mkdtempSync(join(out, 'd-'));
            const port = failing(disk, { nth, errno, times });
            const first = await acquireLock(port, dir, { by });
            const label = `${errno} ${times} at call ${nth}`;
            if (!first.ok) expect(first.error, label).toMatchObject({ code: 'lock.io', params: { errno } });
            port.heal();
            const second = await acquireLock(disk, dir, { by });
            if (first.ok) expect(second.ok ? null : second.error.code, label).toBe('lock.busy');
            else expect(second.ok, label).toBe(true);
            for (const lock of [first, second]) if (lock.ok) await lock.value.release();
            const third = await acquireLock(disk, dir, { by });
            expect(third.ok, label).toBe(true);
            if (third.ok) await third.value.release();
            if (!port.failed()) break;
            faults++;
          }
        }
      }
      expect(faults).toBeGreaterThan(50);
    });
  }

  it('writes the format whole or not at all, and reads it back at the next start [F5] [WB-COMPOSER-012-AC4]', async () => {
    for (const errno of ERRORS) {
      for (const times of ['once', 'ever'] as const) {
        for (let nth = 1; ; nth++) {
          const dir = join(mkdtempSync(join(out, 'f-')), 'data');
          const port = failing(disk, { nth, errno, times });
          const first = await checkFormat(port, dir);
          if (!first.ok) expect(first.error).toMatchObject({ code: 'data.io', params: { errno } });
          port.heal();
          const again = await checkFormat(disk, dir);
          expect(again.ok && again.value.format, `${errno} ${times} at call ${nth}`).toBe(1);
          expect(readdirSync(dir).filter((name) => !name.startsWith('.tmp-'))).toEqual(['format.json']);
          if (!port.failed()) break;
        }
      }
    }
    for (let nth = 1; nth <= 2; nth++) {
      const dir = join(mkdtempSync(join(out, 's-')), 'data');
      const first = await checkFormat(shortWrites(disk, nth), dir);
      expect(first.ok).toBe(nth > 1);
      expect((await checkFormat(disk, dir)).ok).toBe(true);
      expect(JSON.parse(readFileSync(join(dir, 'format.json'), 'utf8'))).toEqual({ format: 1 });
    }
  });
});
