/**
 * Expected failures are values; throwing means a bug. A failure has a stable `code` that the
 * catalogue (`domain/words`) turns into what happened, what was kept and what to do next, in the
 * person's language. `detail` is the original technical text, shown only under "Details".
 */
export interface Failure {
  readonly code: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly detail?: string;
}

export type Result<T, E = Failure> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok(): Result<void, never>;
export function ok<T>(value: T): Result<T, never>;
export function ok<T>(value?: T): Result<T | void, never> {
  return { ok: true, value };
}

export function fail(code: string, params?: Failure['params'], detail?: string): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: { code, ...(params ? { params } : {}), ...(detail ? { detail } : {}) } };
}

/** Exhaustiveness guard: reached only when a union grew and a switch did not. */
export function unreachable(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
