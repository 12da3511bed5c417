import { describe, expect, it } from 'vitest';
import type { OriginId } from '#domain/ids.ts';
import { checkLamport, findFork, hashAt, MAX_LAMPORT_LEAP } from '#main/log/foreign.ts';
import { MAX_LAMPORT } from '#main/log/line.ts';
import { copyTree } from '#test/support/fs/crash.ts';
import { appendIds, message, openLog, seeded } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

const DIR = '/data/partners/p1';

describe('what comes from elsewhere', () => {
  it('is a fork where the same origin and seq has another hash, found at its first event [I2]', async () => {
    for (const [shared, ours, theirs] of [[0, 1, 1], [1, 4, 4], [37, 1, 90], [100, 200, 3]] as const) {
      const disk = memoryFs();
      const here = await openLog(disk, DIR);
      if (shared > 0) await appendIds(here, Array.from({ length: shared }, (_, i) => message(`m${i}`)));
      await here.close();
      const copy = memoryFs(copyTree(disk.root));
      const a = await openLog(disk, DIR, { random: seeded(2) });
      const b = await openLog(copy, DIR, { random: seeded(3) });
      const origin: OriginId = a.origin;
      if (shared > 0) expect(b.origin).toBe(origin);
      await appendIds(a, Array.from({ length: ours }, () => message('here')));
      await appendIds(b, Array.from({ length: theirs }, () => message('there')));
      const common = shared + Math.min(ours, theirs);
      const fork = await findFork(origin, hashAt(a, a.origin), hashAt(b, b.origin), common);
      expect(fork?.seq).toBe(shared + 1);
      expect(fork?.ours).not.toBe(fork?.theirs);
      if (shared > 0) expect(await findFork(origin, hashAt(a, origin), hashAt(b, origin), shared)).toBe(null);
    }
  });

  it('may not carry a lamport beyond the largest, or leap too far ahead', () => {
    expect(checkLamport(5, 4).ok).toBe(true);
    expect(checkLamport(7 + MAX_LAMPORT_LEAP, 7).ok).toBe(true);
    expect(checkLamport(MAX_LAMPORT, MAX_LAMPORT - 1).ok).toBe(true);
    for (const [lamport, known] of [[8 + MAX_LAMPORT_LEAP, 7], [MAX_LAMPORT + 1, MAX_LAMPORT], [0, 0], [-1, 0], [1.5, 0], [NaN, 0], [Infinity, 0]] as const) {
      expect(checkLamport(lamport, known)).toMatchObject({ ok: false, error: { code: 'log.lamport' } });
    }
  });
});
