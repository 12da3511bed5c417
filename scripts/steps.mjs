// What the scripts share: running a step, installing once, finding Chromium.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a program with its output shown; returns its exit code. */
export function run(title, program, args, env = {}) {
  console.log(`\n— ${title}`);
  const started = Date.now();
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env }, shell: process.platform === 'win32' });
  if (error) console.error(String(error));
  console.log(`  ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return status ?? 1;
}

/** A program of node_modules. */
export function tool(title, file, args, env) {
  return run(title, process.execPath, [join(root, 'node_modules', file), ...args], env);
}

/** Installs what the lock file says, once per lock file. */
export function install() {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  const mark = join(root, 'node_modules', '.curator-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return 0;
  const status = run('Installing (once)', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { ELECTRON_SKIP_BINARY_DOWNLOAD: '1' });
  if (status === 0) {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(mark, lock);
  }
  return status;
}

const CHROMIUMS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'];

/** Path of a Chromium, installed from Debian's packages where it is missing and that is possible; null otherwise. */
export function chromium() {
  const there = () => CHROMIUMS.find((path) => path && existsSync(path)) ?? null;
  if (there()) return there();
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null;
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const packages = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-noto-cjk', 'fonts-inter'];
  if (run('Installing Chromium for the browser tests', 'apt-get', packages, env) !== 0) {
    run('Refreshing the package list', 'apt-get', ['update'], env);
    run('Installing Chromium for the browser tests', 'apt-get', packages, env);
  }
  return there();
}
