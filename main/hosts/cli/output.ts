import type { Failure, Result } from '#domain/result.ts';
import { sayFailure } from '#domain/words/words.ts';
import { hintOf } from './hints.ts';

/**
 * Exit codes: 0 done, 1 failed or refused, 2 wrong use, 3 stopped waiting for a decision (`--approve ask`
 * without a terminal), 128 + signal when it was ended by one.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3 } as const;
export type Exit = number;

/** Where the command line prints: one JSON value a line with `--json`, text for people otherwise. */
export interface Output {
  readonly json: boolean;
  readonly language: 'zh' | 'en';
  value(value: unknown, text: string): void;
  /** Prints a result's value, or its failure. */
  one<T>(result: Result<T, Failure>, text: (value: T) => string): Exit;
  /** Prints a list, a value a line. */
  each<T>(result: Result<readonly T[], Failure>, text: (value: T) => string): Exit;
  failure(failure: Failure): Exit;
  usage(problem: string, use?: string): Exit;
}

/** `write` gets lines for standard output, `complain` those for people who look at what went wrong. */
export function createOutput(json: boolean, language: 'zh' | 'en', write: (line: string) => void, complain: (line: string) => void): Output {
  const tell = (failure: Failure, more: Readonly<Record<string, string>>, lines: readonly string[]) => {
    const words = sayFailure(language, failure);
    const next = hintOf(language, failure.code) ?? words.next;
    if (json) write(JSON.stringify({ error: { ...failure, what: words.what, kept: words.kept, next, ...more } }));
    else complain([`${words.what} [${failure.code}]`, ...(failure.detail ? [failure.detail] : []), ...lines, words.kept, next].filter(Boolean).join('\n'));
  };
  const out: Output = {
    json,
    language,
    value: (value, text) => write(json ? JSON.stringify(value) : text),
    one(result, text) {
      if (!result.ok) return out.failure(result.error);
      out.value(result.value, text(result.value));
      return EXIT.done;
    },
    each(result, text) {
      if (!result.ok) return out.failure(result.error);
      for (const value of result.value) out.value(value, text(value));
      return EXIT.done;
    },
    failure(failure) {
      tell(failure, {}, []);
      return EXIT.failed;
    },
    usage(problem, use) {
      tell({ code: 'cli.usage', detail: problem }, use ? { use: `curator ${use}` } : {}, use ? [`curator ${use}`] : []);
      return EXIT.usage;
    },
  };
  return out;
}
