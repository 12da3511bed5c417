// `npm run dev`: builds with source maps, serves with a data folder of its own (.curator-dev), and builds again on change.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
let host = null;
let again = false;
let busy = false;

async function restart() {
  if (busy) return void (again = true);
  busy = true;
  try {
    await buildAll();
    host?.kill('SIGTERM');
    if (host) await new Promise((done) => host.once('close', done));
    host = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/main/web/main.mjs'), '--data', join(root, '.curator-dev')], { stdio: 'inherit' });
  } catch (cause) {
    console.error(String(cause));
  }
  busy = false;
  if (again) {
    again = false;
    await restart();
  }
}
let timer;
for (const dir of ['app', 'domain', 'main', 'projections', 'workers']) watch(join(root, dir), { recursive: true }, () => (clearTimeout(timer), (timer = setTimeout(restart, 200))));
process.on('SIGINT', () => (host?.kill('SIGTERM'), process.exit(0)));
await restart();
