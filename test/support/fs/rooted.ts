import type { FsPort } from '#main/ports/fs.ts';

const TWO_PATHS = new Set(['rename', 'link', 'copyFile']);

/** The port with every absolute path taken below a folder: workloads written for a disk in memory run on a real one. */
export function rooted(fs: FsPort, base: string): FsPort {
  const call = (key: string) => (...args: unknown[]): unknown => {
    const paths = TWO_PATHS.has(key) ? 2 : 1;
    const under = args.map((a, i) => (i < paths && typeof a === 'string' ? base + a : a));
    return (fs[key as keyof FsPort] as (...a: unknown[]) => unknown)(...under);
  };
  const keys = Object.keys(fs).filter((key) => key !== 'symlink' && key !== 'realpath');
  return { ...fs, ...Object.fromEntries(keys.map((key) => [key, call(key)])) };
}
