import { mkdtempSync, rmSync, readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebHost, type WebHost } from '../support/browser/host.ts';
import { corpus } from '../support/corpus.ts';

interface Case {
  readonly id: string;
  readonly family: string;
  readonly service: string;
  readonly request: { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string | readonly string[]>>; readonly body?: string };
  readonly httpVersion?: string;
  readonly via?: string;
  readonly repeat?: number;
  readonly accept?: readonly string[];
  readonly expect: { readonly status: string };
  readonly why: string;
}

let home: string;
let host: WebHost;
/** What the launch gave: the cookie and the session key. Each use of TOKEN in a query takes a fresh ticket. */
let sid = '';
let key = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'curator-http-'));
  mkdirSync(join(home, 'ws'));
  writeFileSync(join(home, 'ws', '.env'), 'SECRET=1');
  host = await startWebHost(join(home, 'data'), home, 'en');
  const first = await raw(host.port, `GET ${new URL(host.url).pathname}${new URL(host.url).search} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\n\r\n`);
  sid = /set-cookie: sid=([^;]+)/i.exec(first.head)?.[1] ?? '';
  key = /location: \/#k=(\S+)/i.exec(first.head)?.[1] ?? '';
});
afterAll(async () => {
  await host.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Sends bytes and reads the whole answer; fetch would rewrite Host, Origin and path. */
function raw(port: number, text: string, address = '127.0.0.1', keepOpen?: Socket): Promise<{ readonly status: number; readonly head: string; readonly body: string }> {
  return new Promise((done, failed) => {
    const socket = keepOpen ?? connect(port, address);
    let got = '';
    const finish = () => {
      socket.removeAllListeners('data');
      const cut = got.indexOf('\r\n\r\n');
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(got)?.[1] ?? 0);
      if (!keepOpen) socket.destroy();
      done({ status, head: got.slice(0, cut), body: got.slice(cut + 4) });
    };
    socket.on('data', (d) => {
      got += d.toString('latin1');
      const head = got.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(got.slice(0, head))?.[1] ?? 0);
      if (head >= 0 && (/ 101 /.test(got.slice(0, 20)) || got.length >= head + 4 + length)) finish();
    });
    socket.once('error', failed);
    socket.once('close', finish);
    if (keepOpen) socket.write(text);
    else socket.once('connect', () => socket.write(text));
  });
}

const lan = Object.values(networkInterfaces()).flat().find((i) => i && i.family === 'IPv4' && !i.internal)?.address ?? '127.0.0.2';

function requestText(c: Case, port: number): string {
  const fill = (text: string) =>
    text.replaceAll('${PORT}', String(port)).replaceAll('${TOKEN_PREFIX}', key.slice(0, 20)).replaceAll('${TOKEN}', key).replaceAll('${SID}', sid).replaceAll('${WS}', join(home, 'ws')).replaceAll('${WRONG_200X}', 'x'.repeat(43)).replaceAll('${LAN_IP}', lan);
  const lines = [`${c.request.method} ${fill(c.request.path)} HTTP/${c.httpVersion ?? '1.1'}`];
  for (const [name, value] of Object.entries(c.request.headers)) for (const one of Array.isArray(value) ? (value as string[]) : [value as string]) lines.push(`${name}: ${fill(one)}`);
  const body = c.request.body === undefined ? '' : fill(c.request.body);
  const has = (name: string) => Object.keys(c.request.headers).some((n) => n.toLowerCase() === name);
  if (body && !has('content-length') && !has('transfer-encoding')) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  if (has('upgrade')) lines.push('Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==');
  return lines.join('\r\n') + '\r\n\r\n' + body;
}

function fits(status: number, wanted: string): boolean {
  return /^\dxx$/.test(wanted) ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted);
}

const cases = corpus<Case>('loopback-http').filter((c) => c.service === 'web');

describe('the web host on loopback', () => {
  test('has the cases', () => expect(cases.length).toBeGreaterThanOrEqual(50));

  test.each(cases.map((c) => [c.id, c.family, c.why, c] as const))('%s %s: %s', async (_id, _family, _why, c) => {
    const wanted = c.accept ?? [c.expect.status];
    if (wanted.includes('refused')) {
      const [address, port] = (c.via ?? '').replace('${LAN_IP}', lan).split(':');
      await expect(raw(Number(port ?? host.port), requestText(c, host.port), address)).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|EHOSTUNREACH/);
      return;
    }
    if (c.id === 'H005') {
      // A ticket is good once: the launch used one, a second start gets another from the running product.
      const again = await startWebHost(join(home, 'data'), home, 'en');
      const answer = await raw(host.port, `GET /${new URL(again.url).search} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n\r\n`);
      expect(answer.status).toBe(303);
      expect(answer.head).toMatch(/set-cookie: sid=\S+; HttpOnly; SameSite=Strict/i);
      return;
    }
    const answers = [];
    for (let i = 0; i < (c.repeat ?? 1); i++) answers.push(await raw(host.port, requestText(c, host.port)));
    for (const answer of answers) {
      expect(wanted.some((w) => fits(answer.status, w)), `status ${answer.status}, wanted ${wanted.join(' or ')}`).toBe(true);
      expect(answer.head).not.toMatch(/access-control-allow/i);
      if (answer.status !== 101) expect(answer.head).toMatch(/x-content-type-options: nosniff/i);
      if (/content-type: text\/html/i.test(answer.head)) expect(answer.head).toMatch(/content-security-policy: default-src 'none'/i);
      if (answer.status >= 400) expect(answer.head + answer.body).not.toContain(key);
    }
    // Every 4xx again after a good request on the same connection.
    if (answers.every((a) => a.status >= 400 && a.status < 500) && !['CONNECT'].includes(c.request.method)) {
      const socket = connect(host.port, '127.0.0.1');
      await new Promise((ready) => socket.once('connect', ready));
      const good = await raw(host.port, `GET /assets/app.js HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n\r\n`, '127.0.0.1', socket);
      expect(good.status).toBe(200);
      const after = await raw(host.port, requestText(c, host.port), '127.0.0.1', socket);
      expect(wanted.some((w) => fits(after.status, w)) || after.status === 429, `after a good one: ${after.status}`).toBe(true);
      socket.destroy();
    }
  });

  test('a launch ticket works once', async () => {
    const used = new URL(host.url);
    const again = await raw(host.port, `GET /${used.search} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n\r\n`);
    expect(again.status).toBe(401);
  });

  test('wrong and missing keys get the same body, and the right one works after a storm of wrong ones', async () => {
    const ask = (authorization: string) => raw(host.port, `GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\n${authorization}\r\n`);
    const none = await ask('');
    const wrong = await ask('Authorization: Bearer wrong\r\n');
    expect(wrong.body).toBe(none.body);
    for (let i = 0; i < 200; i++) await ask('Authorization: Bearer wrong\r\n');
    expect((await ask(`Authorization: Bearer ${key}\r\n`)).status).toBe(200);
  });

  test('no key, cookie or token is in any file of the data folder but the endpoint, which only its owner reads', async () => {
    const { execFileSync } = await import('node:child_process');
    const grep = (text: string) => execFileSync('sh', ['-c', `grep -rlF -- "$1" "$2" || true`, 'sh', text, join(home, 'data')], { encoding: 'utf8' }).trim();
    expect(grep(key)).toBe('');
    expect(grep(sid)).toBe('');
    const endpoint = join(home, 'data', 'run', 'endpoint.json');
    expect(JSON.parse(readFileSync(endpoint, 'utf8')).key).toHaveLength(43);
    const { statSync } = await import('node:fs');
    expect(statSync(endpoint).mode & 0o777).toBe(0o600);
  });

  test('the socket answers nothing before its key', async () => {
    const { WebSocket } = await import('ws');
    const open = (sendKey: string) =>
      new Promise<unknown>((done) => {
        const ws = new WebSocket(`ws://127.0.0.1:${host.port}/ws`, { origin: `http://127.0.0.1:${host.port}`, headers: { Cookie: `sid=${sid}` } });
        ws.on('open', () => {
          ws.send(JSON.stringify({ t: 'call', id: 1, method: 'app.view', input: {} }));
          ws.send(JSON.stringify({ t: 'hello', protocol: 1, key: sendKey }));
        });
        ws.once('message', (m) => {
          ws.close();
          done(JSON.parse(String(m)));
        });
      });
    expect(await open('wrong')).toEqual({ t: 'refused', why: 'notAllowed' });
    expect(await open(key)).toMatchObject({ t: 'welcome' });
  });
});
