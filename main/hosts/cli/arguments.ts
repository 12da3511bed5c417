/** A parsed command line: words, and options by name. `--x value` or `--x` alone. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | true>>;
}

/** Options that take no value. */
const FLAGS = new Set(['json', 'dry-run', 'force', 'undo', 'help']);

/** Splits arguments; `--` ends options. Null with the option's name when its value is missing. */
export function parseArguments(argv: readonly string[]): Arguments | { readonly missing: string } {
  const words: string[] = [];
  const options: Record<string, string | true> = {};
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    const named = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(word);
    if (!named?.[1]) {
      words.push(word);
      continue;
    }
    const [, name, inline] = named;
    if (FLAGS.has(name)) options[name] = true;
    else if (inline !== undefined) options[name] = inline;
    else {
      const value = argv[++i];
      if (value === undefined) return { missing: name };
      options[name] = value;
    }
  }
  return { words, options };
}

export function option(args: Arguments, name: string): string | undefined {
  const value = args.options[name];
  return value === true ? undefined : value;
}
