import { app, BrowserWindow, dialog, ipcMain, protocol, safeStorage, session, shell } from 'electron';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sayFailure } from '#domain/words/words.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { realClock } from '#main/ports/real.ts';
import { defaultDataDir, systemLanguage } from '../data-dir.ts';
import { openRealWorkbench } from '../open-workbench.ts';
import { createSystemTrash } from '../trash.ts';
import { loadAssets } from '../web/assets.ts';
import { refusingServer } from '../web/refusing-server.ts';
import { PAGE, PRIVILEGES, serveApp } from './app-protocol.ts';
import { createElectronHost } from './electron-host.ts';
import { guardContents, guardSession, mayOpenOutside } from './guards.ts';
import { admitPorts } from './port-gate.ts';
import { windowOptions } from './window.ts';

/** The desktop window's composition root. A second start brings the first one's window to the front. */
async function main(): Promise<void> {
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged(PRIVILEGES);
  if (!app.requestSingleInstanceLock()) return app.quit();
  let window: BrowserWindow | null = null;
  const focus = () => {
    if (window?.isMinimized()) window.restore();
    window?.show();
    window?.focus();
  };
  app.on('second-instance', focus);
  app.on('web-contents-created', (_event, contents) => guardContents(contents, openOutside));
  await app.whenReady();
  guardSession(session.defaultSession);

  const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
  const home = app.getPath('home');
  const at = process.argv.indexOf('--data');
  const dataDir = (at >= 0 ? process.argv[at + 1] : undefined) ?? defaultDataDir(process.env, process.platform, home);
  const fs = createNodeFs();
  const opened = await openRealWorkbench({
    dataDir, rootDir, version: app.getVersion(), socket: true,
    host: () =>
      createElectronHost({
        shell, dialog, safeStorage, fs, dataDir, window: () => window,
        linuxTrash: process.platform === 'linux' ? createSystemTrash({ fs, clock: realClock, platform: 'linux', home, dataHome: process.env['XDG_DATA_HOME'] }) : null,
      }),
  });
  if (!opened.ok && opened.error.code !== 'data.newer') {
    const words = sayFailure(systemLanguage(process.env), opened.error);
    dialog.showErrorBox(words.what, `${words.kept}\n${words.next}`);
    return app.quit();
  }
  serveApp(protocol, await loadAssets(fs, join(rootDir, 'dist', 'app')));
  admitPorts(ipcMain, opened.ok ? opened.value.server : refusingServer(opened.error), (id) => window?.webContents.id === id);
  window = new BrowserWindow(windowOptions(join(dirname(fileURLToPath(import.meta.url)), 'preload.cjs'), process.platform));
  window.once('ready-to-show', () => window?.show());
  window.on('closed', () => {
    window = null;
    app.quit();
  });
  if (opened.ok) closeBeforeQuit(opened.value.close);
  await window.loadURL(PAGE);
}

/** Quitting waits for the log to close; a second quit does not wait again. */
function closeBeforeQuit(close: () => Promise<void>): void {
  let closed = false;
  app.on('before-quit', (event) => {
    if (closed) return;
    event.preventDefault();
    void close().finally(() => {
      closed = true;
      app.quit();
    });
  });
}

function openOutside(address: string): void {
  if (mayOpenOutside(address)) void shell.openExternal(address);
}

void main();
