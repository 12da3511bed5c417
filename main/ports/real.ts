import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    // Beyond 2^31 − 1 ms a timer fires at once.
    const timer = setTimeout(callback, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};

const POOL = Buffer.alloc(8192);
let used = POOL.length;

/** Random bytes from a pool: one call to the system for many ids. */
export const realRandom: Random = {
  bytes(count) {
    if (count > POOL.length) return randomFillSync(Buffer.alloc(count));
    if (used + count > POOL.length) {
      randomFillSync(POOL);
      used = 0;
    }
    const out = Uint8Array.prototype.slice.call(POOL, used, used + count);
    POOL.fill(0, used, used + count);
    used += count;
    return out;
  },
};
