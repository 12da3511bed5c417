import { describe, expect, it } from 'vitest';
import type { FsPort } from '#main/ports/fs.ts';
import { appendIds, message, openLog } from '#test/support/fs/log-world.ts';
import { memoryFs } from '#test/support/fs/memory-fs.ts';

/** A disk whose flushes in place take as long as `ms` says; counts both kinds. */
function timed(ms: (nth: number) => number) {
  const counts = { inPlace: 0, pooled: 0 };
  const disk = memoryFs();
  const fs: FsPort = {
    ...disk,
    async open(...args) {
      const file = await disk.open(...args);
      return {
        ...file,
        datasyncNow() {
          const end = performance.now() + ms(++counts.inPlace);
          while (performance.now() < end);
          file.datasyncNow!();
        },
        datasync() {
          counts.pooled++;
          return file.datasync();
        },
      };
    },
  };
  return { fs, counts };
}

const fill = async (fs: FsPort, events: number) => {
  const log = await openLog(fs, '/data/partners/p1');
  for (let i = 0; i < events; i++) expect(await appendIds(log, [message('x')])).toHaveLength(1);
  await log.close();
};

describe('a durable append', () => {
  it('waits in place for the flush of a quick disk', async () => {
    const { fs, counts } = timed(() => 0);
    await fill(fs, 200);
    // A busy machine may make a quick flush look slow now and then.
    expect(counts.inPlace).toBeGreaterThan(10);
  });

  it('leaves the flushes of a slow disk to the thread pool, trying ever more seldom', async () => {
    const { fs, counts } = timed(() => 6);
    await fill(fs, 300);
    expect(counts.inPlace).toBe(4);
    expect(counts.pooled).toBe(296);
  });

  it('comes back to waiting in place when the disk is quick again', async () => {
    const { fs, counts } = timed((nth) => (nth === 1 ? 6 : 0));
    await fill(fs, 300);
    expect(counts.pooled).toBeGreaterThanOrEqual(32);
    expect(counts.inPlace).toBeGreaterThan(10);
  });
});
