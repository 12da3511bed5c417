import type { Port } from '#main/api/wire.ts';

/** What both Electron's `MessagePortMain` and Node's own message port can do. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  off(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  off(event: 'close', listener: () => void): unknown;
  start(): void;
}

/** Electron's main-side message port as a port of the contract. */
export function messagePort(port: MessagePortLike): Port {
  let open = true;
  port.on('close', () => {
    open = false;
  });
  port.start();
  return {
    send: (message) => {
      if (open) port.postMessage(message);
    },
    onMessage(callback) {
      const hear = (event: { readonly data: unknown }) => callback(event.data);
      port.on('message', hear);
      return () => port.off('message', hear);
    },
    onClose(callback) {
      port.on('close', callback);
      return () => port.off('close', callback);
    },
  };
}
