import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket as NodeWebSocket } from 'ws';
import { ok } from '#domain/result.ts';
import { socketPort } from '#app/feeds/ports.ts';
import { connect, type Connection } from '#main/api/client.ts';
import { PROTOCOL, type Port } from '#main/api/wire.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { Keys } from '#main/hosts/web/keys.ts';
import { refusingServer } from '#main/hosts/web/refusing-server.ts';
import { startWebServer } from '#main/hosts/web/server.ts';
import { realClock, realRandom } from '#main/ports/real.ts';
import { startLocalSocket } from '#main/server/local-socket.ts';
import { serve, type Answering } from '#main/server/session.ts';
import { joinedPorts, streamPort } from '#main/server/stream-port.ts';

vi.mock('electron', async () => import('../support/fake-electron/electron.ts'));

/** One way between a page (or the command line) and the product. */
interface Line {
  readonly port: Port;
  readonly key?: string;
  /** Breaks the connection. */
  cut(): void;
  close?(): Promise<void>;
}
type Transport = (server: Answering) => Promise<Line>;

const joined: Transport = async (server) => {
  const [port, theirs, cut] = joinedPorts();
  serve(server, theirs, { channel: 'cli', admits: (key) => key === 'k' });
  return { port, key: 'k', cut };
};

const localSocket: Transport = async (server) => {
  const dir = mkdtempSync(join(tmpdir(), 'curator-port-'));
  const local = await startLocalSocket(server, createNodeFs(), dir);
  const stream = connectSocket(local.endpoint.socket);
  await new Promise((done) => stream.once('connect', done));
  return {
    port: streamPort(stream), key: local.endpoint.key, cut: () => void stream.destroy(),
    close: async () => {
      await local.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/** The page's own adapter against the real web host. Node has no WebSocket of a page: one that says cookie and origin stands in. */
const webSocket: Transport = async (server) => {
  const keys = new Keys(realClock, realRandom);
  const web = await startWebServer({ server, keys, assets: new Map(), port: 0 });
  vi.stubGlobal('WebSocket', class extends NodeWebSocket {
    constructor(address: string) {
      super(address, { origin: `http://127.0.0.1:${web.port}`, headers: { cookie: `sid=${keys.cookie}` } });
    }
  });
  const port = socketPort(`ws://127.0.0.1:${web.port}/ws`);
  return { port, key: keys.session, cut: () => void web.close(), close: () => web.close() };
};

/** The page's side is the real preload; Electron's channel is Node's. */
const electronPort: Transport = async (server) => {
  const fake = await import('../support/fake-electron/electron.ts');
  const { admitPorts } = await import('#main/hosts/electron/port-gate.ts');
  await import('#main/hosts/electron/preload.ts');
  fake.ipcRenderer.delivers = true;
  fake.ipcMain.removeAllListeners();
  let main: { close(): void } | undefined;
  fake.ipcMain.on('curator:port', (event: { ports: { close(): void }[] }) => (main = event.ports[0]));
  admitPorts(fake.ipcMain as never, server, () => true);
  const port = (fake.exposed['curator'] as { port(): Port }).port();
  return { port, cut: () => main?.close() };
};

let line: Line | null = null;
afterEach(async () => {
  line?.cut();
  await line?.close?.();
  line = null;
  vi.unstubAllGlobals();
});

/** Answers `run.send` with its own text; a topic pushes what the test says. */
function echo() {
  const pushers = new Map<string, (data: unknown, cursor: string) => void>();
  const ended: string[] = [];
  let hold: Promise<void> = Promise.resolve();
  const server: Answering = {
    ...refusingServer({ code: 'test.refused' }),
    version: 'test',
    follow: async (topic, from, push) => {
      await hold;
      if (topic === 'none') return { ok: false, error: { code: 'topic.unknown' } };
      pushers.set(topic, push);
      push({ from }, '0');
      return ok(() => {
        pushers.delete(topic);
        ended.push(topic);
      });
    },
  };
  const handlers = { ...server.handlers, 'run.send': async ({ text }: { text: string }) => ok({ run: text }), ping: () => new Promise<never>(() => undefined) };
  return { server: { ...server, handlers: handlers as unknown as Answering['handlers'] }, pushers, ended, holdFollow: (until: Promise<void>) => void (hold = until) };
}
const partner = `partner_${'a'.repeat(26)}` as never;
const opened = async (l: Line): Promise<Connection> => {
  const connection = await connect(l.port, l.key);
  if (!connection.ok) throw new Error(connection.error.code);
  return connection.value;
};
const heard = (port: Port) => new Promise<unknown>((done) => {
  const off = port.onMessage((message) => {
    off();
    done(message);
  });
});
const HARD = ['a\nb\r\nc', '\u2028\u2029', '馆长 👨‍👩‍👧', 'nul \0 end', '"\\', '\ud800 lone'];

describe.each<[string, Transport]>([['joined in memory', joined], ['a local socket', localSocket], ['the page’s WebSocket', webSocket], ['Electron’s message port', electronPort]])('[design §7] the contract over %s', (name, open) => {
  test('answers every call with its own result, whatever the order and the characters', async () => {
    line = await open(echo().server);
    const { call } = await opened(line);
    const texts = [...Array.from({ length: 300 }, (_, i) => `call ${i}`), ...HARD];
    const answers = await Promise.all(texts.map((text) => call['run.send']({ partner, text })));
    expect(answers.map((a) => a.ok && (a.value.run as string))).toEqual(texts);
  });
  test('carries a long message whole', async () => {
    line = await open(echo().server);
    const { call } = await opened(line);
    const text = '字'.repeat(400_000);
    const got = await call['run.send']({ partner, text });
    expect(got.ok && (got.value.run as string) === text).toBe(true);
  });
  test('answers nothing before the handshake, ignores what is no message, refuses another protocol', async () => {
    line = await open(echo().server);
    const { port, key } = line;
    const first = heard(port);
    port.send({ t: 'call', id: 1, method: 'run.send', input: { partner, text: 'early' } });
    for (const odd of ['x', 5, null, [], { t: 'nope' }, { t: 'call' }]) port.send(odd);
    port.send({ t: 'hello', protocol: PROTOCOL + 1 });
    expect(await first).toEqual({ t: 'refused', why: 'serverTooOld' });
    const second = heard(port);
    port.send({ t: 'hello', protocol: PROTOCOL, ...(key === undefined ? {} : { key }) });
    expect(await second).toMatchObject({ t: 'welcome', session: 'test' });
  });
  // Electron's port needs no key: it is handed over to our own window only.
  if (!name.startsWith('Electron')) test('refuses a wrong key and one that is missing', async () => {
    line = await open(echo().server);
    const { port, key } = line;
    for (const wrong of [undefined, '', `${key}x`, key!.slice(0, -1)]) expect(await connect(port, wrong)).toEqual({ ok: false, error: { code: 'handshake.notAllowed' } });
  });
  test('refuses names from the prototype and wrong input', async () => {
    line = await open(echo().server);
    await opened(line);
    const { port } = line;
    for (const [id, method] of ['constructor', '__proto__', 'toString', 'nope'].entries()) {
      const answer = heard(port);
      port.send({ t: 'call', id, method, input: {} });
      expect(await answer).toMatchObject({ t: 'result', id, result: { ok: false, error: { code: 'call.unknown' } } });
    }
    const answer = heard(port);
    port.send({ t: 'call', id: 9, method: 'run.send', input: { partner: 'x' } });
    expect(await answer).toMatchObject({ result: { ok: false, error: { code: 'call.badInput' } } });
  });
  test('pushes in order with their cursors until the follower leaves', async () => {
    const { server, pushers, ended } = echo();
    line = await open(server);
    const { subscribe, call } = await opened(line);
    const got: unknown[] = [];
    const leave = subscribe('t', '41', (data, cursor) => got.push([data, cursor]));
    await vi.waitFor(() => expect(pushers.has('t')).toBe(true));
    for (let i = 1; i <= 100; i++) pushers.get('t')!(i, String(i));
    await vi.waitFor(() => expect(got).toHaveLength(101));
    expect(got).toEqual([[{ from: '41' }, '0'], ...Array.from({ length: 100 }, (_, i) => [i + 1, String(i + 1)])]);
    leave();
    await call['run.send']({ partner, text: 'after' });
    expect(ended).toEqual(['t']);
    expect(got).toHaveLength(101);
  });
  test('a follower that leaves before the topic stands is not followed', async () => {
    const { server, pushers, ended, holdFollow } = echo();
    let goOn = () => {};
    holdFollow(new Promise((done) => (goOn = done)));
    line = await open(server);
    const { subscribe, call } = await opened(line);
    subscribe('t', null, () => undefined)();
    await call['run.send']({ partner, text: 'in between' });
    goOn();
    await vi.waitFor(() => expect(ended).toEqual(['t']));
    expect(pushers.size).toBe(0);
  });
  test('says why a topic cannot be followed', async () => {
    line = await open(echo().server);
    const { subscribe } = await opened(line);
    expect(await new Promise((done) => subscribe('none', null, () => undefined, done))).toEqual({ code: 'topic.unknown' });
  });
  test('a broken line ends calls in flight and what was followed; sending on does no harm', async () => {
    const { server, pushers, ended } = echo();
    line = await open(server);
    const connection = await opened(line);
    connection.subscribe('t', null, () => undefined);
    await vi.waitFor(() => expect(pushers.has('t')).toBe(true));
    const inFlight = connection.call.ping({});
    // The call is on the other side before the line breaks.
    await connection.call['run.send']({ partner, text: 'x' });
    line.cut();
    expect(await inFlight).toEqual({ ok: false, error: { code: 'port.closed' } });
    await connection.closed;
    await vi.waitFor(() => expect(ended).toEqual(['t']));
    expect(() => line!.port.send({ t: 'call', id: 1, method: 'ping', input: {} })).not.toThrow();
  });
  test('a listener that was taken off hears no more', async () => {
    line = await open(echo().server);
    const { call } = await opened(line);
    const mine = vi.fn();
    const off = line.port.onMessage(mine);
    await call['run.send']({ partner, text: '1' });
    off();
    await call['run.send']({ partner, text: '2' });
    expect(mine).toHaveBeenCalledTimes(1);
  });
});
