import type { Arguments, OptionKind } from './arguments.ts';

/** One word or option value of a use line. */
interface Slot {
  /** As the use line has it: `PARTNER`, `on|off`, `1..200`. */
  readonly text: string;
  readonly needed: boolean;
}

/** What a use line says: the command's name, its words in order, its options. */
export interface Grammar {
  readonly name: string;
  readonly words: readonly Slot[];
  /** Null for a flag. */
  readonly options: ReadonlyMap<string, Slot | null>;
}

/** Options of every command. */
export const COMMON: ReadonlyMap<string, OptionKind> = new Map([['data', 'value'], ['json', 'flag'], ['help', 'flag']]);

/**
 * Reads a use line, which is help, documentation and rule in one: `send PARTNER TEXT [--approve all|none|ask]`.
 * Lower-case words at its start are the name; CAPITALS are free words; `a|b` is one of these; `1..200` a whole
 * number; brackets mean that it may be left out; TEXT takes all words that are left.
 */
export function grammarOf(use: string): Grammar {
  const name = /^[a-z]+(?: [a-z]+(?= |$))?/.exec(use)?.[0] ?? '';
  const words: Slot[] = [];
  const options = new Map<string, Slot | null>();
  for (const [, optional, option, value, word] of use.slice(name.length).matchAll(/(\[)?(?:--([a-z-]+)(?: (?!\[|--)([^\s\]]+))?|([^\s\]]+))\]?/g)) {
    const needed = optional === undefined;
    if (option) options.set(option, value ? { text: value, needed } : null);
    else if (word) words.push({ text: word, needed });
  }
  return { name, words, options };
}

/** All options of some use lines and what they take. */
export function optionsOf(grammars: Iterable<Grammar>): ReadonlyMap<string, OptionKind> {
  const all = new Map<string, OptionKind>(COMMON);
  for (const { options } of grammars) for (const [name, value] of options) all.set(name, value ? 'value' : 'flag');
  return all;
}

/** What is wrong with arguments by a grammar, in words; null when nothing is. `words` are those after the name. */
export function misuse({ name, words: slots, options }: Grammar, words: readonly string[], args: Arguments): string | null {
  for (const given of Object.keys(args.options)) if (!options.has(given) && !COMMON.has(given)) return `${name} has no option --${given}`;
  const missing = slots.find((slot, i) => slot.needed && !words[i]?.trim());
  if (missing) return `${missing.text} is missing`;
  for (const [i, slot] of slots.entries()) {
    const problem = words[i] === undefined ? null : wrong(slot, words[i], slot.text);
    if (problem) return problem;
  }
  if (words.length > slots.length && slots.at(-1)?.text !== 'TEXT') return `“${words[slots.length]}” is one word too many (put quotes around words that belong together)`;
  for (const [option, slot] of options) {
    const value = args.options[option];
    if (slot?.needed && value === undefined) return `--${option} is missing`;
    const problem = slot && typeof value === 'string' ? wrong(slot, value, `--${option}`) : null;
    if (problem) return problem;
  }
  return null;
}

function wrong({ text }: Slot, value: string, what: string): string | null {
  const range = /^(\d+)\.\.(\d+)?$/.exec(text);
  if (range) return /^\d{1,15}$/.test(value) && Number(value) >= Number(range[1]) && Number(value) <= Number(range[2] ?? Infinity) ? null : `${what} is a whole number ${range[2] ? `from ${range[1]} to ${range[2]}` : `of ${range[1]} or more`}, not “${value}”`;
  const among = /^[a-z]\w*(?:\|[a-z]\w*)+$/.test(text) ? text.split('|') : null;
  return among && !among.includes(value) ? `${what} is one of ${among.join(', ')}, not “${value}”` : null;
}
