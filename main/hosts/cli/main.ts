import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { createNodeHost } from '../node-host.ts';
import { openRealWorkbench } from '../open-workbench.ts';
import { badNumber, option, parseArguments } from './arguments.ts';
import { COMMANDS } from './commands.ts';
import { reach } from './connect.ts';
import { createOutput, EXIT, type Exit } from './output.ts';

/** `curator`: a third face of the same API (design §7). Documented in docs/CLI.md. */
async function main(): Promise<Exit> {
  const parsed = parseArguments(process.argv.slice(2));
  const out = createOutput(process.argv.includes('--json'), systemLanguage(process.env), (line) => process.stdout.write(line + '\n'), (line) => process.stderr.write(line + '\n'));
  if ('problem' in parsed) return out.usage(parsed.problem);
  const odd = badNumber(parsed);
  if (odd) return out.usage(`--${odd} needs a positive whole number`);
  const { words } = parsed;
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((n) => Object.hasOwn(COMMANDS, n));
  const usage = () => ['curator COMMAND [--data DIR] [--json]', ...Object.values(COMMANDS).map((c) => '  ' + c.use)].join('\n');
  if (parsed.options['help'] || words.length === 0) {
    process.stdout.write(usage() + '\n');
    return words.length === 0 && !parsed.options['help'] ? EXIT.usage : EXIT.done;
  }
  if (!name) return out.usage(usage());
  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
  const dataDir = option(parsed, 'data') ?? defaultDataDir(process.env, process.platform, homedir());
  const { version } = JSON.parse(new TextDecoder().decode(await createNodeFs().readFile(join(rootDir, 'package.json')))) as { version: string };
  const reached = await reach(dataDir, process.env['CURATOR_RUN'] !== undefined, async () => {
    const opened = await openRealWorkbench({ dataDir, rootDir, version, socket: false, host: (fs) => createNodeHost('cli', fs, dataDir, () => null) });
    return opened.ok ? { ok: true, value: { server: opened.value.server, close: opened.value.close } } : opened;
  });
  if (!reached.ok) return out.failure(reached.error);
  try {
    return await COMMANDS[name]!.run({ connection: reached.value.connection, out, args: parsed }, words.slice(name.split(' ').length));
  } finally {
    await reached.value.close();
  }
}

// A reader that went away (`| head`) is no failure of ours.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => process.exit(cause.code === 'EPIPE' ? EXIT.done : EXIT.failed));
const exit = await main();
// Whatever is still open (a socket, a timer) is of no more use: the answer is printed.
process.stdout.write('', () => process.exit(exit));
