// `npm start`: installs, builds, and opens the app. Needs nothing but Node 20.19+ and this folder.
//   --web       do not try the desktop window
//   --electron  try to fetch the desktop window again
//   --no-open   print the address, open nothing
//   --data DIR  use another data folder
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const has = (flag) => args.includes(flag);
const ELECTRON_MS = 120_000;

function fail(text) {
  console.error(text);
  process.exit(1);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`Curator needs Node 20.19 or newer; this is ${process.versions.node}.`);

/** Installs what the lock file says, once per lock file. */
export function install() {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  const mark = join(root, 'node_modules', '.curator-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.log('Installing (once) …');
  // Electron's own download is tried below, with a limit; a failure of it must not fail the install.
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32', env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1' } });
  if (done.status !== 0) fail('Installing failed. Check the network or the registry settings of npm, then run `npm start` again.');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(mark, lock);
}

/** The desktop binary's path, fetched once with a limit; null with the reason when there is none. */
async function electron() {
  if (has('--web')) return { path: null, why: 'asked for with --web' };
  const dir = join(root, 'node_modules', 'electron');
  const pathFile = join(dir, 'path.txt');
  const binary = () => (existsSync(pathFile) ? join(dir, 'dist', readFileSync(pathFile, 'utf8').trim()) : null);
  const there = binary();
  if (there && existsSync(there)) return { path: there, why: '' };
  const remembered = join(root, 'node_modules', '.curator-electron');
  if (existsSync(remembered) && !has('--electron')) return { path: null, why: readFileSync(remembered, 'utf8') + ' (remembered; `npm start -- --electron` tries again)' };
  if (!existsSync(join(dir, 'install.js'))) return { path: null, why: 'the desktop runtime is not installed' };
  process.stdout.write('Fetching the desktop window (up to 2 minutes) ');
  const why = await new Promise((done) => {
    const child = spawn(process.execPath, [join(dir, 'install.js')], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '' } });
    let said = '';
    child.stderr.on('data', (d) => (said += d));
    const dots = setInterval(() => process.stdout.write('.'), 2000);
    const limit = setTimeout(() => child.kill('SIGKILL'), ELECTRON_MS);
    child.on('close', (code, signal) => {
      clearInterval(dots);
      clearTimeout(limit);
      process.stdout.write('\n');
      if (code === 0) return done('');
      done(signal ? 'it could not be fetched within 2 minutes' : `it could not be fetched (${/\b(E[A-Z]{3,}|HTTPError[^\n]*|getaddrinfo [A-Z_]+)/.exec(said)?.[0] ?? `exit ${code}`})`);
    });
  });
  const fetched = binary();
  if (!why && fetched && existsSync(fetched)) return { path: fetched, why: '' };
  writeFileSync(remembered, why || 'it could not be fetched');
  return { path: null, why: why || 'it could not be fetched' };
}

install();
const { buildAll } = await import('./build.mjs');
await buildAll();
const desktop = await electron();
const passed = args.includes('--data') ? ['--data', args[args.indexOf('--data') + 1]] : [];

if (desktop.path) {
  console.log('Opening the desktop window.');
  const child = spawn(desktop.path, [join(root, 'dist/main/electron/main.mjs'), ...passed], { stdio: 'inherit' });
  child.on('close', (code) => process.exit(code ?? 0));
} else {
  console.log(`Opening in the browser: no desktop window, ${desktop.why}.`);
  const host = spawn(process.execPath, [join(root, 'dist/main/web/main.mjs'), ...passed], { stdio: ['ignore', 'pipe', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => host.kill(signal));
  host.on('close', (code) => process.exit(code ?? 0));
  let rest = '';
  host.stdout.on('data', async (data) => {
    rest += data;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const event = JSON.parse(line);
      if (event.event === 'failed') console.error(event.text);
      if (event.event === 'running') console.log('Curator is running already.');
      if (!event.url) continue;
      console.log(`\n  Curator is open at ${event.url}\n  (this address works once, within a minute)\n`);
      if (event.dataDir) console.log(`  Data folder: ${event.dataDir}\n  Stop with Ctrl+C; everything acknowledged is kept.`);
      if (!has('--no-open')) {
        const { default: open } = await import('open');
        await open(event.url).catch(() => console.log('  The browser could not be opened; open the address yourself.'));
      }
    }
  });
}
