import { EventEmitter } from 'node:events';
import { MessageChannel as NodeChannel, type MessagePort as NodePort } from 'node:worker_threads';

/**
 * A stand-in for the `electron` module: it records what the product asks of it and lets tests play the
 * system's part. It proves what our code asks for, not what Electron then does.
 */
export const asked: { readonly what: string; readonly with: unknown }[] = [];
export const note = (what: string, given?: unknown) => void asked.push({ what, with: given });

export class Contents extends EventEmitter {
  readonly id = 7;
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
}

class FakeApp extends EventEmitter {
  first = true;
  enableSandbox = () => note('enableSandbox');
  requestSingleInstanceLock = () => (note('requestSingleInstanceLock'), this.first);
  quit = () => note('quit');
  whenReady = async () => note('whenReady');
  getPath = (name: string) => (name === 'home' ? (process.env['HOME'] ?? '/') : `${process.env['HOME']}/.config`);
  setPath = (name: string, path: string) => note('setPath', { name, path });
  getVersion = () => '0.1.0';
}
export const app = new FakeApp();

export const windows: BrowserWindow[] = [];
export class BrowserWindow extends EventEmitter {
  readonly webContents = new Contents();
  readonly options: unknown;
  constructor(options: unknown) {
    super();
    this.options = options;
    windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }
  loadURL = async (url: string) => note('loadURL', url);
  show = () => note('show');
  focus = () => note('focus');
  restore = () => note('restore');
  isMinimized = () => true;
}

type Handler = (...given: never[]) => unknown;
const recorder = <K extends string>(...names: K[]) => {
  const handlers: Partial<Record<K, Handler>> = {};
  const target = Object.fromEntries(names.map((name) => [name, (handler: Handler) => (handlers[name] = handler)]));
  return { handlers, target: target as unknown as Record<K, (handler: Handler) => void> };
};
export const freshSession = () => recorder('setPermissionRequestHandler', 'setPermissionCheckHandler', 'setDevicePermissionHandler', 'setDisplayMediaRequestHandler');
export const defaultSession = freshSession();
export const session = { defaultSession: defaultSession.target };

export const schemes: Record<string, (request: { method: string; url: string }) => Response> = {};
export const protocol = {
  registerSchemesAsPrivileged: (given: unknown) => note('registerSchemesAsPrivileged', given),
  handle: (scheme: string, handler: (request: { method: string; url: string }) => Response) => void (schemes[scheme] = handler),
};
export const ipcMain = new EventEmitter();
export const shell = {
  openExternal: async (url: string) => note('openExternal', url),
  showItemInFolder: (path: string) => note('showItemInFolder', path),
  openPath: async (path: string) => (note('openPath', path), ''),
  trashItem: async (path: string) => note('trashItem', path),
};
export const dialog = { showErrorBox: (...given: unknown[]) => note('showErrorBox', given), showOpenDialog: async () => ({ canceled: false, filePaths: ['/chosen'] }) };
export const safeStorage = {
  backend: 'gnome_libsecret',
  isEncryptionAvailable: () => true,
  getSelectedStorageBackend: () => safeStorage.backend,
  encryptString: (text: string) => Buffer.from(text.split('').reverse().join('')),
  decryptString: (bytes: Buffer) => bytes.toString().split('').reverse().join(''),
};

export const exposed: Record<string, unknown> = {};
export const contextBridge = { exposeInMainWorld: (name: string, value: unknown) => void (exposed[name] = value) };
export const ipcRenderer = {
  /** True: the ports reach the main process as Electron would bring them. */
  delivers: false,
  postMessage(channel: string, _message: unknown, ports: readonly NodePort[]): void {
    note('postMessage', { channel, ports: ports.length });
    if (this.delivers) ipcMain.emit(channel, { senderFrame: { url: 'curator://app/', parent: null }, sender: { id: 7 }, ports: ports.map(asMainPort) });
  },
};

/** A pair of ports the way Electron's main process sees them: data inside an event. */
export function mainPorts(): { readonly main: EventEmitter & { postMessage(m: unknown): void; start(): void; close(): void }; readonly page: NodePort } {
  const { port1, port2 } = new NodeChannel();
  return { main: asMainPort(port1), page: port2 };
}

function asMainPort(port1: NodePort) {
  const main = Object.assign(new EventEmitter(), { postMessage: (m: unknown) => port1.postMessage(m), start: () => port1.start(), close: () => port1.close() });
  port1.on('message', (data) => main.emit('message', { data }));
  port1.on('close', () => main.emit('close'));
  return main;
}
