import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Port } from '#main/api/wire.ts';
import { answer, serve, type Answering } from '#main/server/session.ts';
import type { Asset } from './assets.ts';
import { CSP } from './csp.ts';
import type { Keys } from './keys.ts';
import { checkRequest, headersOf, pathOf } from './request-checks.ts';

const MAX_BODY = 4 * 1024 * 1024;

const HEADERS = {
  'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

export interface WebServer {
  readonly port: number;
  /** A fresh one-use launch address. */
  launchUrl(): string;
  close(): Promise<void>;
}

/** Serves page, assets, calls and the socket on 127.0.0.1 only. Routes are those of corpus loopback-http. */
export async function startWebServer(options: { readonly server: Answering; readonly keys: Keys; readonly assets: ReadonlyMap<string, Asset>; readonly port: number }): Promise<WebServer> {
  const { keys } = options;
  const http = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 30_000, headersTimeout: 10_000, insecureHTTPParser: false });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY, perMessageDeflate: false });
  let port = options.port;
  http.on('request', (request, response) => {
    void route(request, response).catch((cause: unknown) => {
      options.server.report('http', cause);
      if (!response.headersSent) refuse(response, 500);
      else response.destroy();
    });
  });
  http.on('upgrade', (request, socket, head) => upgrade(request, socket, head));
  http.on('connect', (_request, socket) => rawRefuse(socket, 405));
  http.on('clientError', (cause: NodeJS.ErrnoException, socket) => rawRefuse(socket, cause.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400));

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = checkRequest(request, port);
    if (refused) return refuse(response, refused.status);
    const at = pathOf(request.url ?? '');
    if (!at) return refuse(response, 400);
    const method = request.method ?? '';
    if (at.path.startsWith('/api/')) return api(request, response, at, method);
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405);
    if (at.path === '/') return page(response, at.query, method);
    const asset = at.path.startsWith('/assets/') || at.path === '/favicon.svg' ? options.assets.get(at.path) : undefined;
    return asset ? send(response, 200, asset, method) : refuse(response, 404);
  }

  function page(response: ServerResponse, query: URLSearchParams, method: string): void {
    const ticket = query.get('token');
    if (ticket !== null) {
      if (!keys.useTicket(ticket)) return refuse(response, 401);
      // The key rides in the fragment, which never leaves the browser; the page moves it to sessionStorage and cleans the address.
      response.writeHead(303, { ...HEADERS, Location: `/#k=${keys.session}`, 'Set-Cookie': `sid=${keys.cookie}; HttpOnly; SameSite=Strict; Path=/` });
      response.end();
      return;
    }
    // The page itself holds no secret; without a key it only says how to open the app.
    const index = options.assets.get('/index.html');
    if (!index) return refuse(response, 404);
    send(response, 200, index, method);
  }

  async function api(request: IncomingMessage, response: ServerResponse, at: { readonly path: string; readonly query: URLSearchParams }, method: string): Promise<void> {
    if (at.path !== '/api/call' && at.path !== '/api/state') return refuse(response, 404);
    if (at.path === '/api/call' ? method !== 'POST' : method !== 'GET' && method !== 'HEAD') return refuse(response, method === 'OPTIONS' ? 403 : 405);
    if (at.query.has('token') || !isAuthorised(request)) {
      // Guesses are slowed down; a request without any key is no guess.
      const guessed = headersOf(request, 'authorization').length > 0;
      return refuse(response, guessed && keys.wrong() ? 429 : 401);
    }
    const caller = { channel: 'web' as const, insideRun: false };
    if (at.path === '/api/state') return json(response, 200, await answer(options.server, 'app.view', {}, caller), method);
    if (!/^application\/json(;|$)/i.test(request.headers['content-type'] ?? '')) return refuse(response, 415);
    const body = await readBody(request, response);
    if (body === null) return;
    let call: { method?: unknown; input?: unknown };
    try {
      call = JSON.parse(body) as typeof call;
    } catch {
      return refuse(response, 400);
    }
    if (typeof call !== 'object' || call === null || typeof call.method !== 'string') return refuse(response, 400);
    const result = await answer(options.server, call.method, call.input, caller);
    const bad = !result.ok && (result.error.code === 'call.unknown' || result.error.code === 'call.badInput');
    json(response, bad ? 400 : 200, result, method);
  }

  function isAuthorised(request: IncomingMessage): boolean {
    const [only, ...more] = headersOf(request, 'authorization');
    const given = /^bearer (\S+)$/i.exec(only ?? '')?.[1];
    return more.length === 0 && keys.isSession(given);
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refused = checkRequest(request, port);
    if (refused) return rawRefuse(socket, refused.status);
    // A page always sends its origin; a program that does not has no business here (the command line has its own socket).
    if (headersOf(request, 'origin').length !== 1) return rawRefuse(socket, 403);
    if (pathOf(request.url ?? '')?.path !== '/ws') return rawRefuse(socket, 404);
    const sids = headersOf(request, 'cookie').flatMap((c) => c.split(';')).map((c) => /^\s*sid=(.*)$/.exec(c)?.[1]).filter((v) => v !== undefined);
    if (!sids.some((sid) => keys.isCookie(sid))) return rawRefuse(socket, 401);
    sockets.handleUpgrade(request, socket, head, (ws) => serve(options.server, portOf(ws), { channel: 'web', admits: (key) => keys.isSession(key) }));
  }

  port = await listen(http, options.port);
  return {
    port,
    launchUrl: () => `http://127.0.0.1:${port}/?token=${keys.ticket()}`,
    close: () =>
      new Promise((done) => {
        for (const ws of sockets.clients) ws.terminate();
        sockets.close();
        http.close(() => done());
        http.closeAllConnections();
      }),
  };
}

/** The remembered port, or any free one when another program has taken it. */
async function listen(http: HttpServer, wanted: number): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number>((done, refuseIt) => {
      const failed = (cause: Error) => refuseIt(cause);
      http.once('error', failed);
      http.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        http.off('error', failed);
        const address = http.address();
        done(typeof address === 'object' && address ? address.port : port);
      });
    });
  try {
    return await tryPort(wanted);
  } catch {
    return tryPort(0);
  }
}

async function readBody(request: IncomingMessage, response: ServerResponse): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) {
    refuse(response, 413);
    request.destroy();
    return null;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) {
      refuse(response, 413);
      request.destroy();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, asset: Asset, method: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': asset.type, 'Content-Length': asset.bytes.length });
  response.end(method === 'HEAD' ? undefined : asset.bytes);
}

function json(response: ServerResponse, status: number, value: unknown, method: string): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  response.end(method === 'HEAD' ? undefined : body);
}

/** One body for all refusals: it tells nothing about what was wrong. */
const REFUSED = JSON.stringify({ ok: false, error: { code: 'http.refused' } });
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(REFUSED), Connection: 'close' });
  response.end(REFUSED);
}

function rawRefuse(socket: Duplex, status: number): void {
  if (socket.destroyed || !socket.writable) return;
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nContent-Length: ${REFUSED.length}\r\n\r\n${REFUSED}`);
}

function portOf(ws: WebSocket): Port {
  return {
    send: (message) => {
      if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message));
    },
    onMessage(callback) {
      const listener = (data: unknown, isBinary: boolean) => {
        if (isBinary) return ws.close(1003);
        try {
          callback(JSON.parse(String(data)));
        } catch {
          ws.close(1007);
        }
      };
      ws.on('message', listener);
      return () => ws.off('message', listener);
    },
    onClose(callback) {
      ws.on('close', callback);
      ws.on('error', () => ws.terminate());
      return () => ws.off('close', callback);
    },
  };
}
