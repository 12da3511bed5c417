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

const NIGHTLY = Boolean(process.env['NIGHTLY']);
/** Of the flips one at a time so many are left out by day: each costs a verification of the whole log. */
const STRIDE = NIGHTLY ? 1 : 61;

describe('rot', () => {
  it('a flipped bit at every byte of a 200-event log is found by a full verification, and named at its own line [I2] [I8] [F4] [R4] [case 53]', { timeout: 600_000 }, async () => {
    const log = await someLog(200);
    const bytes = Buffer.from(log.bytes);
    const fs = serving(log, bytes);
    const random = seeded(4);
    const start = performance.now();
    const longest = Math.max(...log.starts.slice(1).map((end, i) => end - log.starts[i]!));
    let flips = 0;
    // A bit of every second line at once: the lines between are whole, so each is judged as if it were the only one.
    for (let at = 0; at < longest; at++) {
      for (const odd of [0, 1]) {
        const lines = log.ids.flatMap((_, i) => (i % 2 === odd && at < log.starts[i + 1]! - log.starts[i]! ? [log.starts[i]!] : []));
        for (const line of lines) bytes[line + at]! ^= 1 << random.below(8);
        const done = await verifyLog({ fs, dir: DIR }, 'full');
        const named = new Set(done.ok ? done.value.problems.map((problem) => problem.params['offset']) : []);
        expect(lines.filter((line) => !named.has(line)), `byte ${at} of these lines`).toEqual([]);
        flips += lines.length;
        log.bytes.copy(bytes);
      }
    }
    console.log(`bit flips: ${flips} of ${bytes.length} found by full verification in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    expect(flips).toBe(bytes.length);
  });

  for (const mode of ['full', 'quick'] as const)
    it(`one flipped bit at ${STRIDE === 1 ? 'every' : `every ${STRIDE}th`} byte is found by a ${mode} verification, and a whole log has no problem [I2] [I8] [F4] [R4]`, { timeout: 3_600_000 }, async () => {
      const log = await someLog(200);
      const bytes = Buffer.from(log.bytes);
      const fs = serving(log, bytes);
      const random = seeded(5);
      const found = async () => {
        const done = await verifyLog({ fs, dir: DIR }, mode);
        return done.ok ? done.value.problems.length : -1;
      };
      const start = performance.now();
      expect(await found()).toBe(0);
      for (let at = mode === 'full' ? 0 : 30; at < bytes.length; at += STRIDE) {
        const bit = 1 << random.below(8);
        bytes[at]! ^= bit;
        expect(await found(), `bit at byte ${at}`).toBeGreaterThan(0);
        bytes[at]! ^= bit;
      }
      console.log(`bit flips one at a time, ${mode}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    });
});
