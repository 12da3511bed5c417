/** A parsed command line: words, and options by name. `--x value` or `--x` alone. */
export interface Arguments {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | true>>;
}

/** Options that take no value. */
const FLAGS = new Set(['json', 'dry-run', 'force', 'undo', 'help']);

const VALUES = new Set(['data', 'shape', 'colour', 'policy', 'name', 'url', 'models', 'key-env', 'approve', 'permission', 'model', 'limit', 'from', 'as-of']);

/** Splits arguments; `--` ends options. What is wrong is said, never passed over: a typo must not run something else. */
export function parseArguments(argv: readonly string[]): Arguments | { readonly problem: string } {
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
    if (!FLAGS.has(name) && !VALUES.has(name)) return { problem: `there is no option --${name}` };
    if (FLAGS.has(name)) options[name] = true;
    else if (inline !== undefined) options[name] = inline;
    else {
      const value = argv[++i];
      if (value === undefined || value.startsWith('--')) return { problem: `--${name} needs a value` };
      options[name] = value;
    }
  }
  return { words, options };
}

export function option(args: Arguments, name: string): string | undefined {
  const value = args.options[name];
  return value === true ? undefined : value;
}

/** A positive whole number, with or without `@`. Anything else is undefined; {@link badNumber} names it first. */
export function whole(args: Arguments, name: string): number | undefined {
  const text = option(args, name);
  return text !== undefined && /^@?[1-9]\d{0,14}$/.test(text) ? Number(text.replace('@', '')) : undefined;
}

/** The option whose value should be a positive whole number and is not. */
export function badNumber(args: Arguments): string | null {
  return ['limit', 'from'].find((name) => option(args, name) !== undefined && whole(args, name) === undefined) ?? null;
}
