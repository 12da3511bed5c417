import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sayFailure } from '#domain/words/words.ts';
import type { Failure } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { reachRunning } from '../cli/connect.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { newerDataCalls } from '../newer-data.ts';
import { createNodeHost } from '../node-host.ts';
import { openRealWorkbench, type RealWorkbench } from '../open-workbench.ts';
import { revealPath } from '../reveal.ts';
import { loadAssets } from './assets.ts';
import { Keys } from './keys.ts';
import { refusingServer } from './refusing-server.ts';
import { startWebServer, type WebServer } from './server.ts';

/**
 * The local web host's composition root: one data folder, one loopback server, launch addresses as JSON
 * lines on standard output for whoever started it. A second start hands back the running one's address.
 */
async function main(): Promise<void> {
  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
  const dataDir = argument('--data') ?? defaultDataDir(process.env, process.platform, homedir());
  const fs = createNodeFs();
  const { version } = JSON.parse(new TextDecoder().decode(await fs.readFile(join(rootDir, 'package.json')))) as { version: string };
  let web: WebServer | null = null;
  const opened = await openRealWorkbench({ dataDir, rootDir, version, socket: true, host: (port) => createNodeHost('web', port, dataDir, () => web?.launchUrl() ?? null) });
  if (!opened.ok && opened.error.code === 'lock.busy') return handOver(dataDir, opened.error);
  if (!opened.ok && opened.error.code !== 'data.newer') return failed(opened.error);

  const keys = new Keys(realClock, realRandom);
  const assets = await loadAssets(fs, join(rootDir, 'dist', 'app'));
  const portFile = join(dataDir, 'run', 'port');
  const remembered = Number(await fs.readFile(portFile).then((b) => new TextDecoder().decode(b), () => '0')) || 0;
  const newer = newerDataCalls({ fs, dataDir, home: homedir(), language: systemLanguage(process.env), now: () => realClock.now(), reveal: (path) => revealPath(fs, process.platform, path) });
  // A data folder of a newer version gets a page that says so, and not one byte (WB-COMPOSER-012-AC4).
  web = await startWebServer({ server: opened.ok ? opened.value.server : refusingServer(opened.error, newer), keys, assets, port: Number(argument('--port') ?? remembered) });
  // Only a convenience: the next start takes the same port, so that bookmarks hold.
  if (opened.ok) await writeFileAtomic(fs, portFile, new TextEncoder().encode(String(web.port)), 0o600).catch((cause: unknown) => opened.value.server.report('port file', cause));
  say({ event: 'ready', url: web.launchUrl(), port: web.port, dataDir, ...(opened.ok ? {} : { code: opened.error.code }) });
  closeOnSignals(web, opened.ok ? opened.value : null);
}

function closeOnSignals(web: WebServer, workbench: RealWorkbench | null): void {
  let closing = false;
  const close = () => {
    if (closing) return;
    closing = true;
    web.close().then(() => workbench?.close()).then(() => process.exit(0), (cause: unknown) => {
      process.stderr.write(`${String(cause)}\n`);
      process.exit(1);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, close);
  // What nobody caught is written down; the log below stays whole whatever happens here.
  process.on('uncaughtException', (cause) => workbench?.server.workbench.diagnostics.report('uncaught', cause));
  process.on('unhandledRejection', (cause) => workbench?.server.workbench.diagnostics.report('unhandled', cause));
}

/** Another process has the folder: its own fresh address is as good as ours. */
async function handOver(dataDir: string, busy: Failure): Promise<void> {
  // It may have the lock but not its socket yet: two starts at the same moment.
  let running = await reachRunning(dataDir, false);
  for (let tries = 0; !running?.ok && tries < 40; tries++) {
    await new Promise((done) => setTimeout(done, 250));
    running = await reachRunning(dataDir, false);
  }
  const shown = running?.ok ? await running.value.connection.call['host.show']({}) : null;
  if (running?.ok) await running.value.close();
  if (!shown?.ok) return failed(busy);
  say({ event: 'running', url: shown.value.url });
}

function failed(failure: Failure): void {
  const words = sayFailure(systemLanguage(process.env), failure);
  const text = [words.what, words.kept, words.next].filter(Boolean).map((t) => (/[.!?。！？]$/.test(t) ? t : t + '.')).join(' ');
  process.stdout.write(JSON.stringify({ event: 'failed', code: failure.code, text }) + '\n', () => process.exit(1));
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at >= 0 ? process.argv[at + 1] : undefined;
}

function say(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(JSON.stringify(event) + '\n');
}

main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`);
  failed({ code: 'internal' });
});
