import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PROTOCOL } from '#main/api/wire.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import { messagePort } from '#main/hosts/electron/message-port.ts';
import { windowOptions } from '#main/hosts/electron/window.ts';

vi.mock('electron', async () => import('../support/fake-electron/electron.ts'));
const fake = await import('../support/fake-electron/electron.ts');

let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'curator-electron-'));
  process.env['HOME'] = home;
  process.env['CURATOR_DATA'] = join(home, 'data');
  await import('#main/hosts/electron/main.ts');
  await vi.waitFor(() => expect(fake.windows).toHaveLength(1), { timeout: 60_000 });
});
afterAll(async () => {
  fake.app.emit('before-quit', { preventDefault: () => undefined });
  await vi.waitFor(() => expect(fake.asked.some((a) => a.what === 'quit')).toBe(true), { timeout: 60_000 });
  delete process.env['CURATOR_DATA'];
  rmSync(home, { recursive: true, force: true });
});
const window = () => fake.windows[0]!;
const prefs = () => (window().options as { webPreferences: Record<string, unknown> }).webPreferences;

describe('the desktop window asks Electron for', () => {
  test('checklist 4: a sandbox for everything, before the app is ready', () => {
    const order = fake.asked.map((a) => a.what);
    expect(order.indexOf('enableSandbox')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('enableSandbox')).toBeLessThan(order.indexOf('whenReady'));
  });
  test.each([
    ['2 no Node', 'nodeIntegration', false], ['2 no Node in workers', 'nodeIntegrationInWorker', false], ['2 no Node in frames', 'nodeIntegrationInSubFrames', false],
    ['3 context isolation', 'contextIsolation', true], ['4 sandbox', 'sandbox', true], ['6 web security', 'webSecurity', true], ['8 no insecure content', 'allowRunningInsecureContent', false],
    ['9 no experiments', 'experimentalFeatures', false], ['11 no webview', 'webviewTag', false], ['13 no navigation by drop', 'navigateOnDragDrop', false], ['20 no developer tools', 'devTools', false],
  ])('checklist %s', (_item, name, value) => expect(prefs()[name]).toBe(value));
  test('checklist 10: no Blink features', () => expect(prefs()['enableBlinkFeatures']).toBeUndefined());

  test('checklist 1, 18: its own scheme, never file: or http', () => {
    expect(fake.asked.find((a) => a.what === 'loadURL')?.with).toBe('curator://app/');
    const privileges = fake.asked.find((a) => a.what === 'registerSchemesAsPrivileged')?.with as { scheme: string; privileges: Record<string, unknown> }[];
    expect(privileges).toEqual([{ scheme: 'curator', privileges: { standard: true, secure: true, supportFetchAPI: true } }]);
  });
  test('checklist 7, 18: pages with the policy, and nothing outside the build', async () => {
    const get = (url: string, method = 'GET') => fake.schemes['curator']!({ method, url });
    const page = get('curator://app/');
    expect(page.status).toBe(200);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe-(inline|eval)/);
    for (const bad of ['curator://app/../../etc/passwd', 'curator://app/%2e%2e/package.json', 'curator://app/package.json', 'curator://other/', 'file:///etc/passwd', 'curator://app//etc/passwd', 'not a url']) expect(get(bad).status).toBeGreaterThanOrEqual(400);
    expect(get('curator://app/', 'POST').status).toBe(405);
  });
  test('checklist 5: no permission for anyone', () => {
    const { handlers } = fake.defaultSession;
    for (const permission of ['media', 'geolocation', 'notifications', 'midi', 'clipboard-read', 'fullscreen', 'openExternal', 'hid', 'serial', 'usb', 'storage-access', 'window-management']) {
      const said = vi.fn();
      handlers.setPermissionRequestHandler!(null as never, permission as never, said as never);
      expect(said).toHaveBeenCalledExactlyOnceWith(false);
      expect(handlers.setPermissionCheckHandler!(null as never, permission as never)).toBe(false);
    }
    expect(handlers.setDevicePermissionHandler!({} as never)).toBe(false);
    const media = vi.fn();
    handlers.setDisplayMediaRequestHandler!({} as never, media as never);
    expect(media).toHaveBeenCalledWith({});
  });
  test.each(['will-navigate', 'will-redirect', 'will-frame-navigate'])('checklist 13: %s never leaves the page', (event) => {
    for (const url of ['https://evil.test/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', 'curator://other/', 'curator://app/other', 'about:blank']) {
      const preventDefault = vi.fn();
      window().webContents.emit(event, { url, preventDefault });
      expect(preventDefault, url).toHaveBeenCalledOnce();
    }
    const preventDefault = vi.fn();
    window().webContents.emit(event, { url: 'curator://app/', preventDefault });
    expect(preventDefault).not.toHaveBeenCalled();
  });
  test('checklist 5: sessions that come later are guarded too', () => {
    const later = fake.freshSession();
    fake.app.emit('session-created', later.target);
    const said = vi.fn();
    later.handlers.setPermissionRequestHandler!(null as never, 'media' as never, said as never);
    expect(said).toHaveBeenCalledExactlyOnceWith(false);
    expect(Object.keys(later.handlers)).toHaveLength(4);
  });
  test('checklist 13: contents that come later are guarded too', () => {
    const later = new fake.Contents();
    fake.app.emit('web-contents-created', {}, later);
    const preventDefault = vi.fn();
    later.emit('will-navigate', { url: 'https://evil.test/', preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
    expect(later.openHandler!({ url: 'file:///etc/passwd' })).toEqual({ action: 'deny' });
  });
  test('the browser’s profile lies outside the data folder, one for each', () => {
    const set = fake.asked.find((a) => a.what === 'setPath')?.with as { name: string; path: string };
    expect(set.name).toBe('userData');
    expect(set.path.startsWith(join(home, 'data'))).toBe(false);
    const order = fake.asked.map((a) => a.what);
    expect(order.indexOf('setPath')).toBeLessThan(order.indexOf('requestSingleInstanceLock'));
  });
  test.each([['darwin', undefined], ['win32', true], ['linux', true]] as const)('%s has window buttons of its own', (platform, overlay) => {
    const { titleBarOverlay, titleBarStyle } = windowOptions('/p', platform);
    expect(titleBarStyle).toBe(platform === 'darwin' ? 'hiddenInset' : 'hidden');
    expect(titleBarOverlay !== undefined || undefined).toBe(overlay);
  });
  test('checklist 12: no webview is ever attached', () => {
    const preventDefault = vi.fn();
    window().webContents.emit('will-attach-webview', { preventDefault });
    expect(preventDefault).toHaveBeenCalledOnce();
  });
  test('checklist 14, 15: no new windows; only web and mail addresses go to the system', () => {
    const opened = () => fake.asked.filter((a) => a.what === 'openExternal').map((a) => a.with);
    const before = opened().length;
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'smb://host/x', 'search-ms:query=x', 'ms-msdt:x', 'vbscript:x', 'data:text/html,x', 'curator://app/', '\\\\host\\x', 'steam://run/1', 'ssh://h', 'not a url']) {
      expect(window().webContents.openHandler!({ url })).toEqual({ action: 'deny' });
    }
    expect(opened().length).toBe(before);
    for (const url of ['https://a.test/', 'http://a.test/', 'mailto:a@b.c']) expect(window().webContents.openHandler!({ url })).toEqual({ action: 'deny' });
    expect(opened().slice(before)).toEqual(['https://a.test/', 'http://a.test/', 'mailto:a@b.c']);
  });
  test('a second start brings this window to the front', () => {
    const before = fake.asked.length;
    fake.app.emit('second-instance');
    expect(fake.asked.slice(before).map((a) => a.what)).toEqual(['restore', 'show', 'focus']);
  });
});

describe('the one channel of the page', () => {
  function knock(over: { url?: string; parent?: unknown; id?: number; frame?: null; ports?: number } = {}) {
    const pair = fake.mainPorts();
    const close = vi.spyOn(pair.main, 'close');
    const senderFrame = over.frame === null ? null : { url: over.url ?? 'curator://app/', parent: over.parent ?? null };
    fake.ipcMain.emit('curator:port', { senderFrame, sender: { id: over.id ?? 7 }, ports: Array.from({ length: over.ports ?? 1 }, () => pair.main) });
    return { ...pair, close };
  }
  test('checklist 17: foreign pages, sub-frames, other contents and odd ports are refused and closed', () => {
    for (const bad of [{ url: 'https://evil.test/' }, { url: 'curator://app/x' }, { parent: {} }, { id: 8 }, { frame: null }, { ports: 2 }] as const) expect(knock(bad).close, JSON.stringify(bad)).toHaveBeenCalled();
    knock({ ports: 0 });
  });
  test('the window speaks the contract over its port', async () => {
    const { page, close } = knock();
    expect(close).not.toHaveBeenCalled();
    const hear = () => new Promise<unknown>((done) => page.once('message', done));
    const welcome = hear();
    page.postMessage({ t: 'hello', protocol: PROTOCOL });
    expect(await welcome).toMatchObject({ t: 'welcome' });
    const answer = hear();
    page.postMessage({ t: 'call', id: 1, method: 'app.view', input: {} });
    expect(await answer).toMatchObject({ t: 'result', id: 1, result: { ok: true, value: { host: 'electron', secrets: 'system' } } });
    page.close();
  });
  test('nothing is posted into a port that was closed', () => {
    const { main } = fake.mainPorts();
    const post = vi.spyOn(main, 'postMessage');
    const port = messagePort(main as never);
    port.send(1);
    main.emit('close');
    port.send(2);
    expect(post.mock.calls).toEqual([[1]]);
    main.close();
  });
  test('checklist 20: the preload exposes one frozen object with one function', async () => {
    await import('#main/hosts/electron/preload.ts');
    expect(Object.keys(fake.exposed)).toEqual(['curator']);
    const curator = fake.exposed['curator'] as { port: () => object };
    expect(Object.isFrozen(curator)).toBe(true);
    expect(Object.keys(curator)).toEqual(['port']);
    const port = curator.port();
    expect(Object.isFrozen(port)).toBe(true);
    expect(Object.keys(port).sort()).toEqual(['onClose', 'onMessage', 'send']);
    expect(fake.asked.at(-1)).toEqual({ what: 'postMessage', with: { channel: 'curator:port', ports: 1 } });
  });
});

describe('the Host of the desktop', () => {
  test('paths with NUL are never opened; files are shown, folders opened', async () => {
    const { createElectronHost } = await import('#main/hosts/electron/electron-host.ts');
    const { createNodeFs } = await import('#main/fs/node-fs.ts');
    const host = createElectronHost({ shell: fake.shell, dialog: fake.dialog as never, safeStorage: fake.safeStorage, window: () => null, fs: createNodeFs(), dataDir: join(home, 'other'), linuxTrash: null });
    const before = fake.asked.length;
    expect(await host.reveal(home + '\0.txt')).toMatchObject({ ok: false, error: { code: 'gate.name.control' } });
    expect(await host.reveal(join(home, 'missing'))).toMatchObject({ ok: false, error: { code: 'reveal.missing' } });
    expect(fake.asked.length).toBe(before);
    expect(await host.reveal(home)).toMatchObject({ ok: true });
    expect(fake.asked.at(-1)).toEqual({ what: 'openPath', with: home });
    // To open a bundle is to run it.
    for (const name of ['Evil.app', 'Evil.workflow', 'a.prefPane']) {
      mkdirSync(join(home, name));
      expect(await host.reveal(join(home, name))).toMatchObject({ ok: true });
      expect(fake.asked.at(-1)).toEqual({ what: 'showItemInFolder', with: join(home, name) });
    }
    expect(await host.chooseFolder!()).toBe('/chosen');
    expect(await host.trash.put('/x')).toEqual({ ok: true, value: null });
  });
  test('keys lie in the system storage; “basic text” is not taken for one', async () => {
    const { createElectronHost } = await import('#main/hosts/electron/electron-host.ts');
    const { createNodeFs } = await import('#main/fs/node-fs.ts');
    const fs = createNodeFs();
    const make = () => createElectronHost({ shell: fake.shell, dialog: fake.dialog as never, safeStorage: fake.safeStorage, window: () => null, fs, dataDir: join(home, 'keys'), linuxTrash: null }).secrets;
    const secrets = make();
    expect(secrets.kind).toBe('system');
    expect(await secrets.set('a', 'sk-canary-1')).toMatchObject({ ok: true });
    expect(await make().get('a')).toEqual({ ok: true, value: 'sk-canary-1' });
    expect(new TextDecoder().decode(await fs.readFile(join(home, 'keys', 'secrets', 'secrets.json')))).not.toContain('canary');
    await secrets.set('a', '');
    expect(await secrets.get('a')).toEqual({ ok: true, value: null });
    // A key that the web host or the command line kept in the file is found; once replaced or removed it does not come back.
    const file = createFileSecrets(fs, join(home, 'keys', 'secrets'));
    await file.set('b', 'sk-from-the-web');
    expect(await make().get('b')).toEqual({ ok: true, value: 'sk-from-the-web' });
    await make().set('b', 'sk-new');
    expect(await file.get('b')).toEqual({ ok: true, value: null });
    await make().set('b', '');
    expect(await make().get('b')).toEqual({ ok: true, value: null });
    // Sealed by another account: said, not taken for absent, and entered again it works.
    await make().set('c', 'sk-c');
    const decrypt = vi.spyOn(fake.safeStorage, 'decryptString').mockImplementation(() => {
      throw new Error('not ours');
    });
    expect(await make().get('c')).toMatchObject({ ok: false, error: { code: 'secrets.unreadable' } });
    decrypt.mockRestore();
    fake.safeStorage.backend = 'basic_text';
    expect(make().kind).toBe('file');
    fake.safeStorage.backend = 'gnome_libsecret';
  });
});
