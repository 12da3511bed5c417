import { app, BrowserWindow, dialog, ipcMain, protocol, safeStorage, session, shell } from 'electron';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sayFailure } from '#domain/words/words.ts';
import type { Failure } from '#domain/result.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { realClock } from '#main/ports/real.ts';
import { reachRunning } from '../cli/connect.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { newerDataCalls } from '../newer-data.ts';
import { openRealWorkbench } from '../open-workbench.ts';
import { revealPath } from '../reveal.ts';
import { createSystemTrash } from '../trash.ts';
import { loadAssets } from '../web/assets.ts';
import { refusingServer } from '../web/refusing-server.ts';
import { PAGE, PRIVILEGES, serveApp } from './app-protocol.ts';
import { createElectronHost } from './electron-host.ts';
import { guardContents, guardSession, mayOpenOutside } from './guards.ts';
import { admitPorts } from './port-gate.ts';
import { windowOptions } from './window.ts';

/**
 * Starts the desktop window: its composition root. A second start on the same data folder brings the first one's
 * window to the front; when another host has the folder, that one is shown instead.
 */
async function run(): Promise<void> {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged(PRIVILEGES);
  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
  const home = app.getPath('home');
  const at = process.argv.indexOf('--data');
  const dataDir = (at >= 0 ? process.argv[at + 1] : undefined) ?? defaultDataDir(process.env, process.platform, home);
  // The browser's profile never lies in the data folder (on macOS the two names would meet), and each data
  // folder has its own: it is also what the single-instance lock goes by.
  app.setPath('userData', join(app.getPath('appData'), 'curator-window', createHash('sha256').update(dataDir).digest('hex').slice(0, 16)));
  if (!app.requestSingleInstanceLock()) return app.quit();
  let window: BrowserWindow | null = null;
  // What a second start was given is not read: it is data of whoever started it.
  app.on('second-instance', () => show(window));
  app.on('session-created', guardSession);
  app.on('web-contents-created', (_event, contents) => guardContents(contents, openOutside));
  await app.whenReady();
  guardSession(session.defaultSession);

  const fs = createNodeFs();
  const opening = openRealWorkbench({
    dataDir, rootDir, version: app.getVersion(), socket: true,
    host: () =>
      createElectronHost({
        shell, dialog, safeStorage, fs, dataDir, window: () => window,
        linuxTrash: process.platform === 'linux' ? createSystemTrash({ fs, clock: realClock, platform: 'linux', home, dataHome: process.env['XDG_DATA_HOME'] }) : null,
      }),
  });
  closeBeforeQuit(async () => {
    const open = await opening;
    if (open.ok) await open.value.close();
  });
  const opened = await opening;
  if (!opened.ok && opened.error.code === 'lock.busy' && (await showRunning(dataDir))) return app.quit();
  if (!opened.ok && opened.error.code !== 'data.newer') return failed(opened.error);
  // What nobody caught is written down instead of shown as a stack; the log stays whole whatever happens here.
  if (opened.ok) process.on('uncaughtException', (cause) => opened.value.server.workbench.diagnostics.report('uncaught', cause));

  serveApp(protocol, await loadAssets(fs, join(rootDir, 'dist', 'app')));
  const newer = newerDataCalls({ fs, dataDir, home, language: systemLanguage(process.env), now: () => realClock.now(), reveal: (path) => revealPath(fs, process.platform, path) });
  admitPorts(ipcMain, opened.ok ? opened.value.server : refusingServer(opened.error, newer), (id) => window?.webContents.id === id);
  window = new BrowserWindow(windowOptions(join(dirname(fileURLToPath(import.meta.url)), 'preload.cjs'), process.platform));
  window.once('ready-to-show', () => window?.show());
  window.on('closed', () => {
    window = null;
    app.quit();
  });
  await window.loadURL(PAGE);
}

function show(window: BrowserWindow | null): void {
  if (window?.isMinimized()) window.restore();
  window?.show();
  window?.focus();
}

/** Quitting waits for the log to close, also while it is still opening; a second quit does not wait again. */
function closeBeforeQuit(close: () => Promise<void>): void {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    event.preventDefault();
    if (state === 'closing') return;
    state = 'closing';
    // A close that fails has nothing more to save; the person still gets out.
    void close().catch(() => undefined).finally(() => {
      state = 'closed';
      app.quit();
    });
  });
}

/** The web host has the folder: its page opens in the browser. False when nobody answers. */
async function showRunning(dataDir: string): Promise<boolean> {
  const running = await reachRunning(dataDir, false);
  if (!running?.ok) return false;
  const shown = await running.value.connection.call['host.show']({});
  await running.value.close();
  if (shown.ok && shown.value.url !== null) openOutside(shown.value.url);
  return shown.ok;
}

function failed(failure: Failure): void {
  const words = sayFailure(systemLanguage(process.env), failure);
  dialog.showErrorBox(words.what, [words.kept, words.next].filter(Boolean).join('\n'));
  app.quit();
}

/** The only way to the system's browser or mail program (checklist 15). */
function openOutside(address: string): void {
  if (mayOpenOutside(address)) void shell.openExternal(address).catch(() => undefined);
}

/** Never rejects: what goes wrong is said in a box, then the app ends. */
export function startDesktop(): Promise<void> {
  return run().catch((cause: unknown) => failed({ code: 'internal', detail: cause instanceof Error ? cause.message : String(cause) }));
}
