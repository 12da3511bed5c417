import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sayFailure } from '#domain/words/words.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { openRealWorkbench } from '../open-workbench.ts';
import { revealPath } from '../reveal.ts';
import { createSystemTrash } from '../trash.ts';
import { loadAssets } from './assets.ts';
import { Keys } from './keys.ts';
import { startWebServer } from './server.ts';

/** The local web host's composition root: one data folder, one loopback server, one printed launch address. */
async function main(): Promise<void> {
  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
  const home = homedir();
  const dataDir = argument('--data') ?? defaultDataDir(process.env, process.platform, home);
  const language = systemLanguage(process.env);
  const fs = createNodeFs();
  const version = (JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8')) as { version: string }).version;
  const opened = await openRealWorkbench({
    dataDir, rootDir, version,
    host: () => ({
      kind: 'web', chooseFolder: null, secrets: createFileSecrets(fs, join(dataDir, 'secrets')),
      reveal: (path) => revealPath(fs, process.platform, path),
      trash: createSystemTrash({ fs, clock: realClock, platform: process.platform, home, dataHome: process.env['XDG_DATA_HOME'] }),
    }),
  });
  if (!opened.ok) {
    const words = sayFailure(language, opened.error);
    say({ event: 'failed', code: opened.error.code, text: [words.what, words.kept, words.next].filter(Boolean).join(' ') });
    process.exitCode = 1;
    return;
  }
  const server = opened.value;
  const portFile = join(dataDir, 'run', 'port');
  const wanted = Number(await fs.readFile(portFile).then((b) => new TextDecoder().decode(b), () => '0')) || 0;
  const keys = new Keys(realClock, realRandom);
  const web = await startWebServer({ server, keys, assets: await loadAssets(fs, join(rootDir, 'dist', 'app')), port: Number(argument('--port') ?? wanted) });
  await writeFileAtomic(fs, portFile, new TextEncoder().encode(String(web.port)), 0o600);
  say({ event: 'ready', url: web.launchUrl(), port: web.port, dataDir });

  let closing = false;
  const close = () => {
    if (closing) return;
    closing = true;
    void web.close().then(() => server.workbench.close()).then(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close);
  process.stdin.on('data', (data) => {
    if (String(data).includes('launch')) say({ event: 'launch', url: web.launchUrl() });
  });
  process.on('uncaughtException', (cause) => server.workbench.diagnostics.report('uncaught', cause));
  process.on('unhandledRejection', (cause) => server.workbench.diagnostics.report('unhandled', cause));
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at >= 0 ? process.argv[at + 1] : undefined;
}

/** One JSON line per event for whoever started us; the start script prints it for people. */
function say(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(JSON.stringify(event) + '\n');
}

void main();
