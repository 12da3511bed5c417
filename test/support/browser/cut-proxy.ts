import { createServer, request as httpRequest } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** The line between a browser and a host, as an HTTP proxy that can be cut and mended like a network cable. */
export interface CutProxy {
  /** For a browser context's `proxy`; the host sees the browser's own addresses and names. */
  readonly proxy: { readonly server: string; readonly bypass: string };
  /** Every connection breaks off and no new one is let through. */
  cut(): void;
  mend(): void;
  /** Tunnels asked for so far, those that were refused too. */
  tried(): number;
  close(): Promise<void>;
}

export async function startCutProxy(): Promise<CutProxy> {
  const live = new Set<Socket>();
  let whole = true;
  let tried = 0;
  const server = createServer((asked, response) => {
    if (!whole) return void asked.socket.destroy();
    const onward = httpRequest(asked.url ?? '', { method: asked.method, headers: asked.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => asked.socket.destroy());
    asked.pipe(onward);
  });
  const keep = (socket: Socket) => {
    live.add(socket);
    socket.on('close', () => live.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  server.on('connection', keep);
  // WebSockets come as tunnels.
  server.on('connect', (asked, client: Socket) => {
    tried++;
    if (!whole) return void client.destroy();
    const [host, port] = (asked.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(client);
      client.pipe(onward);
    });
    keep(onward);
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' },
    cut() {
      whole = false;
      for (const socket of live) socket.destroy();
    },
    mend: () => void (whole = true),
    tried: () => tried,
    close: () =>
      new Promise((done) => {
        for (const socket of live) socket.destroy();
        server.close(() => done());
      }),
  };
}
