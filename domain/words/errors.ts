import { fileErrors } from './errors-files.ts';
import { moreErrors } from './errors-more.ts';
import { runErrors } from './errors-runs.ts';
import type { Pair } from './pair.ts';

/** Three answers that every failure owes the person. */
export interface ErrorWords {
  readonly what: Pair;
  readonly kept: Pair;
  readonly next: Pair;
}

/** All failures by code; a code without words falls back to its family, and at last to `unknown`. */
export const errors = {
  unknown: {
    what: ['这一步没有成功', 'This step did not succeed'],
    kept: ['已有的记录和文件都没有动。', 'Your records and files are as they were.'],
    next: ['再试一次；还是不行的话，看看详情。', 'Try again; if it keeps happening, see the details.'],
  },
  ...fileErrors,
  ...runErrors,
  ...moreErrors,
} as const satisfies Readonly<Record<string, ErrorWords>>;
