// `npm start`: installs, builds, and opens the app. Needs nothing but Node 20.19+ and this folder.
//   --web       do not try the desktop window
//   --electron  try to fetch the desktop window again
//   --no-open   print the address, open nothing
//   --data DIR  use another data folder
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { desktopProgram } from './desktop.mjs';
import { install, root } from './steps.mjs';

const USE = 'npm start -- [--web] [--electron] [--no-open] [--data DIR]';

function fail(text, code = 1) {
  console.error(text);
  process.exit(code);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`Curator needs Node 20.19 or newer; this is ${process.versions.node}.`);

const { flags, data } = argumentsOf(process.argv.slice(2));

// Whatever runs for us ends with us, and we end with it.
let child = null;
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    ending = true;
    if (!child) process.exit(0);
    child.kill(signal);
  });
}

if (install() !== 0) fail('Installing failed. Check the network or the registry settings of npm, then run `npm start` again.');
const { buildAll } = await import('./build.mjs');
await buildAll();
const desktop = flags.has('--web') ? { path: null, why: 'asked for with --web' } : await desktopProgram(flags.has('--electron'), (fetching) => (child = fetching));
if (ending) process.exit(0);
const passed = data === null ? [] : ['--data', data];
if (desktop.path) openWindow(desktop.path);
else openBrowser(desktop.why);

/** What is not understood is said: a typo must not open another folder. */
function argumentsOf(args) {
  const flags = new Set();
  let data = null;
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = args[i].startsWith('--data=') ? ['--data', args[i].slice('--data='.length)] : [args[i], undefined];
    if (name === '--data') {
      data = inline ?? args[++i] ?? '';
      if (data === '' || data.startsWith('--')) fail(`--data needs a folder.\n${USE}`, 2);
    } else if (['--web', '--electron', '--no-open'].includes(name)) flags.add(name);
    else fail(`There is no ${name}.\n${USE}`, 2);
  }
  return { flags, data };
}

function openWindow(program) {
  console.log('Opening the desktop window.');
  child = spawn(program, [join(root, 'dist/main/electron/main.mjs'), ...passed], { stdio: 'inherit' });
  child.on('error', (cause) => openBrowser(`it does not start (${cause.code})`));
  child.on('close', (code) => {
    // After an error the code is negative, and the browser is open.
    if (code === null || code >= 0) process.exit(code ?? (ending ? 0 : 1));
  });
}

function openBrowser(why) {
  console.log(`Opening in the browser: no desktop window, ${why}.`);
  const host = spawn(process.execPath, [join(root, 'dist/main/web/main.mjs'), ...passed], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = host;
  let opening = Promise.resolve();
  host.on('close', (code) => void opening.then(() => process.exit(code ?? (ending ? 0 : 1))));
  let rest = '';
  host.stdout.on('data', (data) => {
    rest += data;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) opening = opening.then(() => hear(JSON.parse(line)));
  });
}

/** One word of the host. */
async function hear(event) {
  if (event.event === 'failed') console.error(event.text);
  if (event.event === 'running') console.log('Curator is running already.');
  if (!event.url) return;
  console.log(`\n  Curator is open at ${event.url}\n  (this address works once, within a minute)\n`);
  if (event.dataDir) console.log(`  Data folder: ${event.dataDir}\n  Stop with Ctrl+C; everything acknowledged is kept.`);
  if (flags.has('--no-open')) return;
  const { default: open } = await import('open');
  await open(event.url).catch(() => console.log('  The browser could not be opened; open the address yourself.'));
}
