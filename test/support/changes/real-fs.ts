import { createNodeFs } from '#main/fs/node-fs.ts';
import type { FsPort } from '#main/ports/fs.ts';

/** The real disk, for tests that wrap single calls of it. */
export function realFs(): FsPort {
  return createNodeFs();
}
