import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface PathCase {
  readonly id: string;
  readonly family: string;
  readonly platform: 'any' | 'posix' | 'win32' | 'darwin';
  readonly op: 'read' | 'list' | 'search' | 'open' | 'create' | 'write' | 'copy' | 'move' | 'rename' | 'trash' | 'chooseRoot';
  readonly path: string;
  readonly target?: string;
  readonly setup?: readonly string[];
  readonly expect: string;
  readonly accept?: readonly string[];
  readonly why: string;
}

type Piece = string | { readonly $rep: readonly [string, number] };

function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== 'object') return value;
  if ('$cat' in value) return (value.$cat as Piece[]).map((piece) => (typeof piece === 'string' ? piece : piece.$rep[0].repeat(piece.$rep[1]))).join('');
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
}

/** The path corpus with its long strings written out. */
export function pathCases(): readonly PathCase[] {
  const file = fileURLToPath(new URL('../../../fixtures/corpora/paths.json', import.meta.url));
  return expand((JSON.parse(readFileSync(file, 'utf8')) as { cases: unknown }).cases) as PathCase[];
}
