import type { FsPort, OpenFile } from '#main/ports/fs.ts';

export interface FaultPlan {
  /** Before each named call, counted from 1. Throw to fail it; do something to the disk to interfere. */
  before(call: number, name: string, args: readonly unknown[]): void | Promise<void>;
}

/** Counts every call of the port, those on open files too, and lets a plan break in before each. */
export function interrupted(fs: FsPort, plan: FaultPlan): FsPort & { readonly calls: readonly string[] } {
  const calls: string[] = [];
  const wrap = <T extends object>(target: T, prefix: string): T =>
    new Proxy(target, {
      get: (on, key, self) => {
        const value = Reflect.get(on, key, self) as unknown;
        if (typeof value !== 'function' || key === 'writeNow') return value;
        return async (...args: unknown[]) => {
          const name = prefix + String(key);
          // Closing never fails here: an error there is reported by nobody and says nothing about the bytes.
          if (name !== 'file.close') {
            calls.push(name);
            await plan.before(calls.length, name, args);
          }
          const result: unknown = await (value as (...a: unknown[]) => unknown).apply(on, args);
          return key === 'open' ? wrap(result as OpenFile, 'file.') : result;
        };
      },
    });
  return Object.assign(wrap(fs, ''), { calls });
}

export function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}
