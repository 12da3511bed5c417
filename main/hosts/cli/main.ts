import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { createNodeHost } from '../node-host.ts';
import { openRealWorkbench } from '../open-workbench.ts';
import { option, parseArguments, type Arguments } from './arguments.ts';
import { COMMANDS, type Known } from './commands.ts';
import { reach } from './connect.ts';
import { misuse, optionsOf } from './grammar.ts';
import { createOutput, EXIT, type Exit, type Output } from './output.ts';

/** The first Ctrl-C (or SIGTERM, SIGHUP): its exit code is the reason. The second ends the process at once. */
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    const exit = 128 + constants.signals[signal];
    if (interruption.signal.aborted) process.exit(exit);
    interruption.abort(exit);
  });
}
const interrupted = new Promise<Exit>((done) => interruption.signal.addEventListener('abort', () => done(interruption.signal.reason as Exit)));

/** `curator`: a third face of the same API (design §7). Documented in docs/CLI.md. */
async function main(argv: readonly string[]): Promise<Exit> {
  const ours = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const out = createOutput(ours.includes('--json'), systemLanguage(process.env), (line) => process.stdout.write(line + '\n'), (line) => process.stderr.write(line + '\n'));
  const args = parseArguments(argv, optionsOf([...COMMANDS.values()].map((k) => k.grammar)));
  if ('problem' in args) return out.usage(args.problem);
  const { words } = args;
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((n) => COMMANDS.has(n));
  const known = name === undefined ? undefined : COMMANDS.get(name);
  if (args.options['help'] && (known || words.length === 0)) {
    help(out, known ? [known] : [...COMMANDS.values()]);
    return EXIT.done;
  }
  if (!known) return out.usage(words.length === 0 ? 'a command is missing' : `there is no command “${words.slice(0, 2).join(' ')}”`, 'COMMAND [--data DIR] [--json] [--help]');
  const rest = words.slice(known.grammar.name.split(' ').length);
  const problem = misuse(known.grammar, rest, args);
  return problem ? out.usage(problem, known.command.use) : execute(known, rest, args, out);
}

async function execute({ command }: Known, words: readonly string[], args: Arguments, out: Output): Promise<Exit> {
  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
  const dataDir = option(args, 'data') ?? defaultDataDir(process.env, process.platform, homedir());
  const { version } = JSON.parse(new TextDecoder().decode(await createNodeFs().readFile(join(rootDir, 'package.json')))) as { version: string };
  const reaching = reach(dataDir, process.env['CURATOR_RUN'] !== undefined, async () => {
    const opened = await openRealWorkbench({ dataDir, rootDir, version, socket: false, host: (fs) => createNodeHost('cli', fs, dataDir, () => null) });
    return opened.ok ? { ok: true, value: { server: opened.value.server, close: opened.value.close } } : opened;
  });
  const reached = await Promise.race([reaching, interrupted]);
  if (typeof reached === 'number') return reached;
  if (!reached.ok) return out.failure(reached.error);
  try {
    const running = command.run({ connection: reached.value.connection, out, args, interrupted: interruption.signal }, words);
    return await (command.finishes ? running : Promise.race([running, interrupted]));
  } finally {
    await reached.value.close();
  }
}

function help(out: Output, known: readonly Known[]): void {
  if (out.json) return known.forEach(({ command: { use } }) => out.value({ use: `curator ${use}` }, ''));
  const lines = known.map((k) => '  curator ' + k.command.use);
  out.value(null, ['curator COMMAND [--data DIR] [--json] [--help]', ...lines].join('\n'));
}

// A reader that went away (`| head`) is no failure of ours.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => process.exit(cause.code === 'EPIPE' ? EXIT.done : EXIT.failed));
const exit = await main(process.argv.slice(2));
// Whatever is still open (a socket, a timer) is of no more use: the answer is printed.
process.stdout.write('', () => process.exit(exit));
