import type { FsPort } from '#main/ports/fs.ts';
import { errno, watched, type Call } from './calls.ts';

/** Only counts and names the calls. */
export function recording(fs: FsPort): FsPort & { readonly calls: readonly Call[] } {
  return watched(fs, {});
}

export interface Failing {
  /** The call to fail, counted from 1 among those that `only` lets count. */
  readonly nth: number;
  readonly errno: string;
  /** `once`: only that call; `ever`: that one and all after it. */
  readonly times: 'once' | 'ever';
  readonly only?: (call: Call) => boolean;
  /** Half of what a failing write was given reaches the disk. */
  readonly half?: boolean;
}

const WRITES = new Set(['file.write', 'file.writeNow']);

/** Fails calls before they reach the disk. `heal()` ends an `ever`; `failed` says whether the nth call was reached. */
export function failing(fs: FsPort, plan: Failing): FsPort & { readonly failed: () => boolean; readonly heal: () => void } {
  let seen = 0;
  let healed = false;
  let failed = false;
  const wrapped = watched(fs, {
    before(call, direct) {
      if (healed || !(plan.only?.(call) ?? true)) return;
      seen++;
      if (seen < plan.nth || (plan.times === 'once' && seen > plan.nth)) return;
      failed = true;
      if (plan.half && WRITES.has(call.name)) {
        const [bytes, position] = call.args as [Uint8Array, number | null];
        void direct(bytes.subarray(0, bytes.length >> 1), position);
      }
      throw errno(plan.errno);
    },
  });
  return Object.assign(wrapped, { failed: () => failed, heal: () => void (healed = true) });
}

const isWrite = (call: Call) => WRITES.has(call.name);
const isFlush = (call: Call) => call.name === 'syncDir' || call.name === 'file.sync' || call.name === 'file.datasync';

/** What a disk may answer, as plans for {@link failing} at any call: errors, flushes that fail, writes that end half-way. */
export const DISK_FAULTS: readonly (Omit<Failing, 'nth' | 'only'> & { readonly name: string; readonly fits: (call: Call) => boolean })[] = (['once', 'ever'] as const).flatMap((times) => [
  ...['ENOSPC', 'EIO', 'EACCES'].map((errno) => ({ name: `${errno} ${times}`, errno, times, fits: () => true })),
  { name: `a failing flush ${times}`, errno: 'EIO', times, fits: isFlush },
  { name: `a short write ${times}`, errno: 'ENOSPC', times, half: true, fits: isWrite },
]);

/** Dies as by `kill -9` before call `n`. */
export function killing(fs: FsPort, n: number): FsPort {
  return watched(fs, {
    before(call) {
      if (call.n === n) process.kill(process.pid, 'SIGKILL');
    },
  });
}

/** The nth write puts down half of its bytes and then fails. */
export function shortWrites(fs: FsPort, nth: number): ReturnType<typeof failing> {
  return failing(fs, { nth, errno: 'ENOSPC', times: 'once', half: true, only: isWrite });
}

/** A disk whose flushes are never waited for in place, as a slow one's are not. */
export function unhurried(fs: FsPort): FsPort {
  return {
    ...fs,
    async open(...args) {
      const { datasyncNow: _, ...file } = await fs.open(...args);
      return file;
    },
  };
}

/** Calls that change the disk or make it durable: the points at which a fault or a kill can matter. */
export const CHANGES = new Set(['open', 'mkdir', 'rmdir', 'rename', 'link', 'unlink', 'copyFile', 'chmod', 'syncDir', 'file.write', 'file.writeNow', 'file.sync', 'file.datasync', 'file.truncate']);
