import { sayFailure } from '#domain/words/words.ts';
import type { Failure } from '#domain/result.ts';

/** Exit codes: 0 done, 1 failed or refused, 2 wrong use, 3 stopped waiting for a decision (`--approve ask` without a terminal). */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Where the command line prints: one JSON value a line with `--json`, text for people otherwise. */
export interface Output {
  readonly json: boolean;
  readonly language: 'zh' | 'en';
  value(value: unknown, text: string): void;
  failure(failure: Failure): Exit;
  usage(text: string): Exit;
}

export function createOutput(json: boolean, language: 'zh' | 'en', write: (line: string) => void, complain: (line: string) => void): Output {
  return {
    json,
    language,
    value: (value, text) => write(json ? JSON.stringify(value) : text),
    failure(failure) {
      if (json) write(JSON.stringify({ error: failure }));
      else {
        const words = sayFailure(language, failure);
        complain([words.what, words.kept, words.next].filter(Boolean).join('\n'));
        if (failure.detail) complain(failure.detail);
      }
      return EXIT.failed;
    },
    usage(text) {
      if (json) write(JSON.stringify({ error: { code: 'cli.usage', detail: text } }));
      else complain(text);
      return EXIT.usage;
    },
  };
}
