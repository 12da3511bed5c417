import { createRequire } from 'node:module';

interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): { run(...values: unknown[]): unknown };
  transaction<T>(work: (argument: T) => void): (argument: T) => void;
  close(): void;
}

/** Peers live in test/bench/node_modules and are installed by `npm run bench` only. */
export function sqlite(): new (file: string) => Database {
  return createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Database;
}
