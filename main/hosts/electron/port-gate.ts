import type { IpcMain, MessagePortMain } from 'electron';
import { serve, type Answering } from '#main/server/session.ts';
import { PAGE } from './app-protocol.ts';
import { messagePort } from './message-port.ts';

interface Sender {
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null;
  readonly sender: { readonly id: number };
  readonly ports: readonly MessagePortMain[];
}

/**
 * The only channel from the page: it hands over one end of a port. Frames other than the app window's
 * own top frame, and pages other than ours, are refused and their port closed (checklist 17).
 */
export function admitPorts(ipc: Pick<IpcMain, 'on'>, server: Answering, isOurWindow: (contentsId: number) => boolean): void {
  ipc.on('curator:port', (event) => {
    const { senderFrame, sender, ports } = event as unknown as Sender;
    const [port, ...more] = ports;
    const ours = senderFrame !== null && senderFrame.parent === null && senderFrame.url === PAGE && isOurWindow(sender.id);
    if (!port || more.length > 0 || !ours) {
      for (const one of ports) one.close();
      return;
    }
    serve(server, messagePort(port as never), { channel: 'window', admits: () => true });
  });
}
