import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNet, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { Cli, type Started } from '../support/cli/cli.ts';
import { Clone } from '../support/cli/clone.ts';
import { inside } from '../support/cli/inside.ts';

const clone = new Clone();
const cli = new Cli();
afterAll(async () => {
  await cli.close();
  clone.remove();
});

const start = (args: readonly string[], env = clone.env()): Started => cli.start(args, env, clone.start);
/** The address that a start prints, once it does. */
async function address(started: Started): Promise<URL> {
  return new URL((await started.matches(/Curator is open at (\S+)\n/))[1]!);
}
const opens = async (url: URL) => (await fetch(url, { redirect: 'manual' })).status;
const OWNER = join(cli.data, 'run/owner.json');
const ENDPOINT = join(cli.data, 'run/endpoint.json');

describe('npm start in the browser', () => {
  test('[I9] says what it does and an address that opens once; a second start shows the first; SIGTERM closes cleanly', async () => {
    const first = start(['--web', '--no-open', '--data', cli.data]);
    const url = await address(first);
    expect([url.hostname, url.pathname]).toEqual(['127.0.0.1', '/']);
    expect(await opens(url)).toBe(303);
    expect(await opens(url)).toBe(401);

    const second = await start(['--web', '--no-open', `--data=${cli.data}`]).ended;
    expect([second.code, second.err]).toEqual([0, '']);
    expect(second.out).toContain('Curator is running already.');
    const again = new URL(/open at (\S+)/.exec(second.out)![1]!);
    expect([again.port, again.search === url.search]).toEqual([url.port, false]);
    expect(await opens(again)).toBe(303);

    expect(existsSync(OWNER)).toBe(true);
    const { code, out, err } = await first.signal('SIGTERM');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Opening in the browser: no desktop window, asked for with --web.');
    expect(out).toContain(`Data folder: ${cli.data}`);
    expect(out).not.toMatch(/Fetching|Installing/);
    expect([existsSync(OWNER), existsSync(ENDPOINT), existsSync(clone.remembered)]).toEqual([false, false, false]);
    // The folder is free and whole.
    await inside(cli, async () => undefined);
  });

  test('its port is taken: it opens on another; a command that has the folder is waited for; Ctrl-C closes cleanly', async () => {
    const port = Number(readFileSync(join(cli.data, 'run/port'), 'utf8'));
    const other = createNet();
    await new Promise<void>((up) => other.listen(port, '127.0.0.1', up));
    let started!: Started;
    await inside(cli, async () => {
      started = start(['--web', '--no-open', '--data', cli.data]);
      await started.says('Opening in the browser');
      // Time for the host to find the folder taken.
      await cli.run('--help');
    });
    const url = await address(started);
    expect(url.port).not.toBe(String(port));
    expect(await opens(url)).toBe(303);
    const { code, err } = await started.signal('SIGINT');
    expect([code, err, existsSync(OWNER)]).toEqual([0, '', false]);
    other.close();
  });

  test('what it cannot do it says, in words, and ends with 1: a folder that is a file; with 2: arguments that it does not know', async () => {
    const file = join(cli.home, 'file');
    writeFileSync(file, '');
    const old = join(clone.dir, 'old-node.mjs');
    writeFileSync(old, "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } });\n");
    const [folder, typo, nothing, node] = await Promise.all([
      start(['--web', '--no-open', '--data', file]).ended, start(['--web', '--no-opne']).ended, start(['--web', '--data']).ended,
      start(['--web', '--no-open'], { ...clone.env(), NODE_OPTIONS: `--import=${pathToFileURL(old).href}` }).ended,
    ]);
    expect([folder.code, typo.code, nothing.code, node.code]).toEqual([1, 2, 2, 1]);
    expect(folder.err).toMatch(/^[A-Z][^{}]+\.\n$/);
    expect(folder.err).not.toMatch(/ENOTDIR|Error:|undefined/);
    expect(typo.err).toMatch(/^There is no --no-opne\.\nnpm start -- \[--web\]/);
    expect(nothing.err).toContain('--data needs a folder.');
    expect(node.err).toBe('Curator needs Node 20.19 or newer; this is 20.18.3.\n');
  });
});

describe('npm start and the desktop window', () => {
  let mirror: Server;
  afterEach(() => {
    mirror?.close();
  });
  /** A mirror that answers as told; its address. */
  async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
    const server = createServer(answer);
    mirror = server;
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  test('is fetched once; a failure is said, remembered, and not tried again unless told; a fetch that is stopped is not a failure', async () => {
    const asked: string[] = [];
    const missing = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(404).end();
    });
    const first = start(['--no-open', '--data', cli.data], clone.env('exit 1', missing));
    expect(await opens(await address(first))).toBe(303);
    const { code, out } = await first.signal('SIGTERM');
    expect(code).toBe(0);
    expect(out).toMatch(/Fetching the desktop window \(up to 2 minutes\) \.*\nOpening in the browser: no desktop window, it could not be fetched \([^)]*404[^\n]*\)\.\n/);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked[0]).toMatch(/electron-v[\d.]+-\w+-\w+\.zip$/);

    const before = asked.length;
    const second = start(['--no-open', '--data', cli.data], clone.env('exit 1', missing));
    await address(second);
    const said = (await second.signal('SIGTERM')).out;
    expect(said).not.toContain('Fetching');
    expect(said).toMatch(/it could not be fetched \([^)]*404[^\n]*\) \(remembered; `npm start -- --electron` tries again\)\./);
    expect(asked).toHaveLength(before);

    // Told to, it tries again; a mirror that says nothing holds it up, and nobody is left behind when it is ended.
    mirror.close();
    const memory = readFileSync(clone.remembered, 'utf8');
    const silent = await serve(() => undefined);
    const third = start(['--electron', '--no-open', '--data', cli.data], clone.env('exit 1', silent));
    const [request] = (await once(mirror, 'request')) as [IncomingMessage];
    const gone = once(request.socket, 'close');
    const ended = await third.signal('SIGTERM');
    await gone;
    expect([ended.code, ended.out.includes('Curator is open')]).toEqual([0, false]);
    expect(readFileSync(clone.remembered, 'utf8')).toBe(memory);
  });

  test('where its program is there, it opens that on the data folder and ends as that ends; what does not start gives way to the browser', async () => {
    clone.desktop('echo "window: $*"; exit 7');
    const opened = await start(['--no-open', '--data', cli.data]).ended;
    expect([opened.code, opened.out]).toEqual([7, expect.stringContaining(`Opening the desktop window.\nwindow: ${join(clone.dir, 'dist/main/electron/main.mjs')} --data ${cli.data}\n`)]);
    clone.desktop('exec sleep 1000');
    const closed = start(['--data', cli.data]);
    await closed.says('Opening the desktop window.');
    expect((await closed.signal('SIGTERM')).code).toBe(0);
    chmodSync(join(clone.dir, 'node_modules/electron/dist/electron'), 0o644);
    const broken = start(['--no-open', '--data', cli.data]);
    await address(broken);
    expect((await broken.signal('SIGTERM')).out).toContain('no desktop window, it does not start (EACCES).');
  });
});

test('npm start installs once for a lock file; what fails is said with what to do, and is tried again', async () => {
  clone.desktop('echo opened');
  clone.installed(false);
  const failed = await start([], clone.env('echo "npm $*"; exit 1')).ended;
  expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('Installing failed. Check the network or the registry settings of npm, then run `npm start` again.')]);
  const npm = 'echo "npm $* skip=$ELECTRON_SKIP_BINARY_DOWNLOAD"';
  const done = await start([], clone.env(npm)).ended;
  expect([done.code, done.out]).toEqual([0, expect.stringMatching(/npm ci [^\n]*skip=1\n[\s\S]*opened\n/)]);
  const again = await start([], clone.env(npm)).ended;
  expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('npm ci')]);
});
