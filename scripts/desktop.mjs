// The desktop window's program (Electron's binary): fetched once, with a limit, and never in the way of starting.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const LIMIT_MS = 120_000;
const STOPPED = 'the fetch was stopped';

/**
 * The program's path, or null with the reason. A fetch that failed is remembered, so that every later start is quick;
 * `again` tries once more. `fetching` hears of the process that fetches, to end it with us.
 */
export async function desktopProgram(again, fetching) {
  const dir = join(root, 'node_modules', 'electron');
  const there = installed(dir);
  if (there) return { path: there, why: '' };
  const remembered = join(root, 'node_modules', '.curator-electron');
  if (existsSync(remembered) && !again) return { path: null, why: readFileSync(remembered, 'utf8') + ' (remembered; `npm start -- --electron` tries again)' };
  if (!existsSync(join(dir, 'install.js'))) return { path: null, why: 'the desktop runtime is not installed' };
  const why = await fetchOnce(dir, fetching);
  const path = installed(dir);
  if (!why && path) return { path, why: '' };
  if (why !== STOPPED) writeFileSync(remembered, why || 'it could not be fetched');
  return { path: null, why: why || 'it could not be fetched' };
}

function installed(dir) {
  const pathFile = join(dir, 'path.txt');
  const path = existsSync(pathFile) ? join(dir, 'dist', readFileSync(pathFile, 'utf8').trim()) : null;
  return path && existsSync(path) ? path : null;
}

/** Runs Electron's own installer; resolves with what went wrong, or with nothing. */
function fetchOnce(dir, fetching) {
  process.stdout.write('Fetching the desktop window (up to 2 minutes) ');
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(dir, 'install.js')], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '' } });
    fetching(child);
    let said = '';
    child.stderr.on('data', (d) => (said += d));
    const dots = setInterval(() => process.stdout.write('.'), 2000);
    let late = false;
    const limit = setTimeout(() => ((late = true), child.kill('SIGKILL')), LIMIT_MS);
    child.on('close', (code, signal) => {
      clearInterval(dots);
      clearTimeout(limit);
      process.stdout.write('\n');
      if (code === 0) return done('');
      // Ended by somebody else: that says nothing about the next time.
      if (signal && !late) return done(STOPPED);
      done(signal ? 'it could not be fetched within 2 minutes' : `it could not be fetched (${causeOf(said) ?? `exit ${code}`})`);
    });
  });
}

/** The part of a stack that says something: a system's code, a status, or the first line. */
function causeOf(said) {
  const cause = /\b(?:getaddrinfo [A-Z_]+|E[A-Z]{3,}\b|HTTPError[^\n]*|(?:status|Response) code \d+[^\n]*)/i.exec(said)?.[0] ?? /^\s*(\w*Error: [^\n]+)/m.exec(said)?.[1];
  return cause?.trim().slice(0, 200);
}
