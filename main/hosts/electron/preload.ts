import { contextBridge, ipcRenderer } from 'electron';

/**
 * All that the page gets of Electron: one frozen object whose `port()` opens a channel of the contract
 * (checklist 3, 20). Nothing of `ipcRenderer`, no event objects, no other channel.
 */
function openPort() {
  const { port1, port2 } = new MessageChannel();
  const closers = new Set<() => void>();
  // Main may refuse the frame: then its end is closed and ours hears it.
  ipcRenderer.postMessage('curator:port', null, [port2]);
  port1.addEventListener('close', () => closers.forEach((callback) => callback()));
  port1.start();
  return Object.freeze({
    send: (message: unknown) => port1.postMessage(message),
    onMessage(callback: (message: unknown) => void) {
      const hear = (event: Event) => callback((event as MessageEvent).data);
      port1.addEventListener('message', hear);
      return () => port1.removeEventListener('message', hear);
    },
    onClose(callback: () => void) {
      closers.add(callback);
      return () => closers.delete(callback);
    },
  });
}

contextBridge.exposeInMainWorld('curator', Object.freeze({ port: openPort }));
