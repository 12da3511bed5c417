import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Long strings are stored as `{"$cat":[text, {"$rep":[unit, n]}]}`. */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  if ('$cat' in value) return (value.$cat as (string | { $rep: [string, number] })[]).map((p) => (typeof p === 'string' ? p : p.$rep[0].repeat(p.$rep[1]))).join('');
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v)]));
}

/** Cases of a corpus in fixtures/corpora. A missing file fails. */
export function corpus<T>(name: string): readonly T[] {
  const file = JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/corpora', `${name}.json`), 'utf8')) as { cases: unknown[] };
  return file.cases.map(expand) as T[];
}
