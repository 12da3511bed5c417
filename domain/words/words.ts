import { errors, type ErrorWords } from './errors.ts';
import { facts } from './facts.ts';
import { pages } from './pages.ts';
import { tools } from './tools.ts';
import { workbench } from './workbench.ts';

/** The languages of the catalogue, in the order of a pair. */
export type Language = 'zh' | 'en';
export type { Pair } from './pair.ts';
export type Params = Readonly<Record<string, string | number>>;

/** Every text of the screen. Split by place only because a file should stay readable. */
export const catalogue = { ...workbench, ...pages, ...tools, ...facts } as const;
export type WordKey = keyof typeof catalogue;

/** What the person reads of a failure: what happened, what was kept, what to do next. */
export interface FailureWords {
  readonly what: string;
  readonly kept: string;
  readonly next: string;
}

/** Says a text of the catalogue. */
export function say(language: Language, key: WordKey, params: Params = {}): string {
  return fill(catalogue[key][language === 'zh' ? 0 : 1], params);
}

/** Says a key that came from an event or a newer version; null when this catalogue does not know it. */
export function sayUnknown(language: Language, key: string, params: Params = {}): string | null {
  return Object.hasOwn(catalogue, key) ? say(language, key as WordKey, params) : null;
}

/**
 * The words for a failure's code. A code that has no words of its own gets those of its family
 * (`gate`, `model`, …), so that nothing internal ever reaches the screen.
 */
export function sayFailure(language: Language, failure: { readonly code: string; readonly params?: Params }): FailureWords {
  const words = wordsOf(failure.code);
  const at = language === 'zh' ? 0 : 1;
  const params = failure.params ?? {};
  return { what: fill(words.what[at], params), kept: fill(words.kept[at], params), next: fill(words.next[at], params) };
}

/** True when the catalogue has words for exactly this code. */
export function knowsFailure(code: string): boolean {
  return Object.hasOwn(errors, code);
}

function wordsOf(code: string): ErrorWords {
  const table: Readonly<Record<string, ErrorWords>> = errors;
  for (let name = code; name; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const words = Object.hasOwn(table, name) ? table[name] : undefined;
    if (words) return words;
  }
  return errors.unknown;
}

/**
 * Fills `{name}` and picks a plural with `{n:file|files}` (the first form for exactly 1). A missing
 * parameter leaves an ellipsis, never the placeholder's inner name.
 */
export function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)(?::([^|{}]*)\|([^|{}]*))?\}/g, (_, name: string, one?: string, many?: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (one !== undefined && many !== undefined) return Number(value) === 1 ? one : many;
    return value === undefined ? '…' : String(value);
  });
}
