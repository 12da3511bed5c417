import { describe, expect, it } from 'vitest';
import { verifyLog } from '#main/log/verify.ts';
import type { FsPort, OpenFile } from '#main/ports/fs.ts';
import { seeded } from '#test/support/fs/log-world.ts';
import { someLog, type SomeLog } from '#test/support/fs/log-bytes.ts';
import { DIR } from '#test/support/fs/workloads.ts';

/** The log's disk with other bytes for its one segment: they are altered in place, so a flip costs nothing but its check. */
function serving({ fs, path }: SomeLog, bytes: Buffer): FsPort {
  const served = { read: async (into: Uint8Array, offset: number, length: number, at: number) => bytes.copy(into, offset, at, at + length), close: async () => undefined } as unknown as OpenFile;
  return { ...fs, open: (asked, ...rest) => (asked === path ? Promise.resolve(served) : fs.open(asked, ...rest)) };
}

describe('rot', () => {
  for (const mode of ['full', 'quick'] as const)
    it(`a flipped bit at every byte of a 200-event log is found by a ${mode} verification [I2] [I8] [F4] [R4] [case 53]`, { timeout: 600_000 }, async () => {
      const log = await someLog(200);
      const bytes = Buffer.from(log.bytes);
      const fs = serving(log, bytes);
      const random = seeded(mode === 'full' ? 4 : 5);
      const found = async () => {
        const done = await verifyLog({ fs, dir: DIR }, mode);
        return done.ok ? done.value.problems.length : -1;
      };
      expect(await found()).toBe(0);
      const start = performance.now();
      const missed: number[] = [];
      for (let at = 0; at < bytes.length; at++) {
        const bit = 1 << random.below(8);
        bytes[at]! ^= bit;
        if ((await found()) < 1) missed.push(at);
        bytes[at]! ^= bit;
      }
      console.log(`bit flips: ${bytes.length - missed.length} of ${bytes.length} found by ${mode} verification in ${((performance.now() - start) / 1000).toFixed(1)} s`);
      expect(missed).toEqual([]);
      expect(await found()).toBe(0);
    });
});
