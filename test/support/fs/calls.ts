import type { FsPort, OpenFile } from '#main/ports/fs.ts';

/** One call of the port; those on open files are named `file.…` and carry the path they were opened by. */
export interface Call {
  /** Counted from 1. */
  readonly n: number;
  readonly name: string;
  readonly path: string;
  readonly args: readonly unknown[];
}

export interface Watch {
  /** Before the call reaches the disk. Throw to fail it. `direct` does the call's own work on other arguments. */
  readonly before?: (call: Call, direct: (...args: unknown[]) => unknown) => void;
  /** Does the call instead, without waiting for anything; returning undefined lets it through. */
  readonly instead?: (call: Call) => (() => unknown) | undefined;
}

/** The port's own calls: what a wrapper or a disk in memory adds (its switches) is no call of the disk. */
const CALLS: ReadonlySet<string | symbol> = new Set([
  'open', 'readFile', 'readdir', 'stat', 'lstat', 'realpath', 'readlink', 'mkdir', 'rmdir', 'rename', 'link', 'symlink', 'unlink', 'copyFile', 'chmod', 'syncDir',
] satisfies (keyof FsPort)[]);

/** Every call that may fail on a disk. Closing says nothing about the bytes and is let through. */
export function watched(fs: FsPort, watch: Watch): FsPort & { readonly calls: readonly Call[] } {
  const calls: Call[] = [];
  const wrap = <T extends object>(target: T, prefix: string, opened: string): T =>
    new Proxy(target, {
      get: (on, key) => {
        const value = Reflect.get(on, key) as unknown;
        if (typeof value !== 'function' || (prefix === '' && !CALLS.has(key))) return value;
        // A flush is a flush, whether it is waited for in place or not.
        const name = key === 'datasyncNow' ? 'file.datasync' : prefix + String(key);
        const direct = (...args: unknown[]): unknown => (value as (...a: unknown[]) => unknown).apply(on, args);
        if (name === 'file.close') return direct;
        const enter = (args: unknown[]): (() => unknown) => {
          const call: Call = { n: calls.length + 1, name, path: prefix ? opened : String(args[0]), args };
          calls.push(call);
          watch.before?.(call, direct);
          return watch.instead?.(call) ?? (() => direct(...args));
        };
        if (key === 'writeNow' || key === 'datasyncNow') return (...args: unknown[]) => void enter(args)();
        return async (...args: unknown[]) => {
          const result = await enter(args)();
          return name === 'open' ? wrap(result as OpenFile, 'file.', String(args[0])) : result;
        };
      },
    });
  // A copy: what wrappers add must not stay on a disk that the next wrapper is given too.
  return Object.assign(wrap({ ...fs }, '', ''), { calls });
}

export function errno(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}
