import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '#main/api/client.ts';
import { createNodeHost } from '#main/hosts/node-host.ts';
import { openRealWorkbench } from '#main/hosts/open-workbench.ts';
import { messagePort } from '#main/hosts/electron/message-port.ts';

vi.mock('electron', async () => import('../support/fake-electron/electron.ts'));
const fake = await import('../support/fake-electron/electron.ts');
const { startDesktop } = await import('#main/hosts/electron/start.ts');
const root = join(import.meta.dirname, '../..');

let home: string;
let data: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'curator-electron-start-'));
  data = join(home, 'data');
  process.env['HOME'] = home;
  process.env['CURATOR_DATA'] = data;
  fake.asked.length = 0;
  fake.windows.length = 0;
  fake.app.first = true;
  fake.app.removeAllListeners();
  fake.ipcMain.removeAllListeners();
});
afterEach(async () => {
  await quit();
  delete process.env['CURATOR_DATA'];
  rmSync(home, { recursive: true, force: true });
});
const did = (what: string) => fake.asked.filter((a) => a.what === what).map((a) => a.with);
const comes = (what: string) => vi.waitFor(() => expect(did(what).length, what).toBeGreaterThan(0), { timeout: 20_000 });
/** Asks to quit as the system does; Electron asks again after what we asked for. */
async function quit(): Promise<void> {
  if (fake.app.listenerCount('before-quit') === 0) return;
  const before = did('quit').length;
  let held = false;
  fake.app.emit('before-quit', { preventDefault: () => (held = true) });
  if (held) await vi.waitFor(() => expect(did('quit').length).toBeGreaterThan(before), { timeout: 20_000 });
}

test('a second start does nothing but hand over to the first', async () => {
  fake.app.first = false;
  await startDesktop();
  await comes('quit');
  expect(fake.windows).toHaveLength(0);
  expect(existsSync(data)).toBe(false);
});

test.each([['http://127.0.0.1:1/?token=t', ['http://127.0.0.1:1/?token=t']], ['file:///etc/passwd', []]])('the folder that another host has open is shown there, by an address of the web only: %s', async (address, opened) => {
  const other = await openRealWorkbench({ dataDir: data, rootDir: root, version: '0', socket: true, host: (fs) => createNodeHost('web', fs, data, () => address) });
  if (!other.ok) throw new Error(other.error.code);
  try {
    await startDesktop();
    await comes('quit');
    expect(did('openExternal')).toEqual(opened);
    expect(fake.windows).toHaveLength(0);
    expect(did('showErrorBox')).toEqual([]);
  } finally {
    await other.value.close();
  }
});

test('[WB-COMPOSER-012-AC4] a data folder of a newer version gets a page that is told so, and not one byte', async () => {
  mkdirSync(data);
  writeFileSync(join(data, 'format.json'), '{"format":99}\n');
  await startDesktop();
  await comes('loadURL');
  const { main, page } = fake.mainPorts();
  fake.ipcMain.emit('curator:port', { senderFrame: { url: 'curator://app/', parent: null }, sender: { id: 7 }, ports: [main] });
  const api = await connect(messagePort({ ...over(page), start: () => page.start() } as never));
  if (!api.ok) throw new Error(api.error.code);
  expect(await api.value.call['app.view']({})).toMatchObject({ ok: false, error: { code: 'data.newer' } });
  expect(await api.value.call['partners.list']({})).toMatchObject({ ok: false, error: { code: 'data.newer' } });
  page.close();
  expect(readdirSync(data)).toEqual(['format.json']);
  expect(readFileSync(join(data, 'format.json'), 'utf8')).toBe('{"format":99}\n');
});

test('what cannot be opened is said in a box, in words, and nothing hangs', async () => {
  writeFileSync(data, 'a file where the folder should be');
  await startDesktop();
  await comes('showErrorBox');
  await comes('quit');
  expect(fake.windows).toHaveLength(0);
  const [title, text] = did('showErrorBox')[0] as [string, string];
  expect(title.length).toBeGreaterThan(5);
  expect(`${title} ${text}`).not.toMatch(/ENOTDIR|Error:|undefined/);
});

test('quitting waits until the log is closed, also when it comes while it opens, and is asked once', async () => {
  const closing = startDesktop();
  await comes('whenReady');
  await vi.waitFor(() => expect(fake.app.listenerCount('before-quit')).toBe(1), { timeout: 20_000 });
  const prevented = vi.fn();
  fake.app.emit('before-quit', { preventDefault: prevented });
  fake.app.emit('before-quit', { preventDefault: prevented });
  expect(prevented).toHaveBeenCalledTimes(2);
  await comes('quit');
  expect(did('quit')).toHaveLength(1);
  const again = vi.fn();
  fake.app.emit('before-quit', { preventDefault: again });
  expect(again).not.toHaveBeenCalled();
  await closing;
  // The lock is free: the next start opens the folder.
  const next = await openRealWorkbench({ dataDir: data, rootDir: root, version: '0', socket: false, host: (fs) => createNodeHost('cli', fs, data, () => null) });
  expect(next.ok).toBe(true);
  if (next.ok) await next.value.close();
});

/** A port of a page, in the form that the main side's adapter knows. */
function over(page: import('node:worker_threads').MessagePort) {
  const wrapped = new Map<unknown, (data: unknown) => void>();
  return {
    postMessage: (message: unknown) => page.postMessage(message),
    on(event: string, listener: (event: { data: unknown }) => void) {
      const hear = (data: unknown) => listener({ data });
      wrapped.set(listener, hear);
      page.on(event as 'message', hear);
    },
    off: (event: string, listener: unknown) => page.off(event as 'message', wrapped.get(listener)!),
  };
}
