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
}

/** Fails calls before they reach the disk. `heal()` ends an `ever`; `failed` says whether the nth call was reached. */
export function failing(fs: FsPort, plan: Failing): FsPort & { readonly failed: () => boolean; readonly heal: () => void } {
  let seen = 0;
  let healed = false;
  let failed = false;
  const wrapped = watched(fs, {
    before(call) {
      if (healed || !(plan.only?.(call) ?? true)) return;
      seen++;
      if (seen < plan.nth || (plan.times === 'once' && seen > plan.nth)) return;
      failed = true;
      throw errno(plan.errno);
    },
  });
  return Object.assign(wrapped, { failed: () => failed, heal: () => void (healed = true) });
}

/** Dies as by `kill -9` before call `n`. */
export function killing(fs: FsPort, n: number): FsPort {
  return watched(fs, {
    before(call) {
      if (call.n === n) process.kill(process.pid, 'SIGKILL');
    },
  });
}

/** The nth write puts down half of its bytes and then fails. */
export function shortWrites(fs: FsPort, nth: number, code = 'ENOSPC'): FsPort & { readonly failed: () => boolean } {
  let seen = 0;
  let failed = false;
  const wrapped = watched(fs, {
    before(call, direct) {
      if (call.name !== 'file.writeNow' && call.name !== 'file.write') return;
      if (++seen !== nth) return;
      failed = true;
      const [bytes, position] = call.args as [Uint8Array, number | null];
      void direct(bytes.subarray(0, bytes.length >> 1), position);
      throw errno(code);
    },
  });
  return Object.assign(wrapped, { failed: () => failed });
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
