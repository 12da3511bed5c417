/** A parsed command line: words, and options by name. `--x value`, `--x=value`, or `--x` alone for a flag. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | true>>;
}

/** What an option takes; every option means the same wherever it is used. */
export type OptionKind = 'flag' | 'value';

/**
 * Splits arguments; `--` ends options. What is wrong is said, never passed over: a typo must not run
 * something else, and `--force=no` must not force.
 */
export function parseArguments(argv: readonly string[], known: ReadonlyMap<string, OptionKind>): Arguments | { readonly problem: string } {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    // A dash before a letter is meant as an option; words that begin so stand behind `--`.
    if (!/^--|^-\p{L}/u.test(word)) {
      words.push(word);
      continue;
    }
    const [, name = '', inline] = /^--?([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const kind = word.startsWith('--') ? known.get(name) : undefined;
    if (!kind) return { problem: `there is no option ${word.split('=')[0]} (words that begin with a dash go behind --)` };
    if (Object.hasOwn(options, name)) return { problem: `--${name} is given twice` };
    if (kind === 'flag') {
      if (inline !== undefined) return { problem: `--${name} takes no value` };
      options[name] = true;
      continue;
    }
    const value = inline ?? argv[++i];
    if (value === undefined || value === '' || (inline === undefined && value.startsWith('--'))) return { problem: `--${name} needs a value` };
    options[name] = value;
  }
  return { words, options };
}

/** The value of an option; undefined when it is not given. */
export function option(args: Arguments, name: string): string | undefined {
  const value = args.options[name];
  return value === true ? undefined : value;
}

/** The number of an option that the grammar has checked to be one. */
export function numberOf(args: Arguments, name: string): number | undefined {
  const text = option(args, name);
  return text === undefined ? undefined : Number(text);
}
