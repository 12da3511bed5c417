import type { Port } from '#main/api/wire.ts';

/** What Electron's preload puts on the window: one frozen object. */
export interface CuratorBridge {
  port(): Port;
}
declare global {
  interface Window {
    readonly curator?: CuratorBridge;
  }
}

/** A port over a WebSocket to the host that served this page. Messages sent before it opens wait in order. */
export function socketPort(address: string): Port {
  const socket = new WebSocket(address);
  const waiting: string[] = [];
  socket.addEventListener('open', () => {
    for (const text of waiting.splice(0)) socket.send(text);
  });
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
      else if (socket.readyState === WebSocket.CONNECTING) waiting.push(text);
    },
    onMessage(callback) {
      const hear = (event: MessageEvent) => {
        if (typeof event.data === 'string') callback(JSON.parse(event.data));
      };
      socket.addEventListener('message', hear);
      return () => socket.removeEventListener('message', hear);
    },
    onClose(callback) {
      socket.addEventListener('close', callback, { once: true });
      return () => socket.removeEventListener('close', callback);
    },
  };
}

/** The address of the socket beside this page. */
export function socketAddress(location: Location): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
}
