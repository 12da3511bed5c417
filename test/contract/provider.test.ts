import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelDelta, ModelRequest } from '#main/model/types.ts';
import { createOpenAiModel } from '#main/model/openai/openai-model.ts';
import { testProvider } from '#main/model/openai/test-provider.ts';
import { startFakeOpenAI, type Script } from '../support/fake-openai/server.ts';
import { DrivenClock } from '../support/workbench/clock.ts';

const KEY = 'f3a9c1e07b5d4canary';
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
async function fakeFor(script: Script) {
  const fake = await startFakeOpenAI(script);
  open.push(fake);
  return fake;
}
/** A server that answers anything by hand. */
async function byHand(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  open.push({ close: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
const json = (value: unknown, status = 200): RequestListener => (_req, res) => void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

describe('provider.test says which hop failed', () => {
  const tried = (baseUrl: string, more: { key?: string; model?: string | null; clock?: DrivenClock } = {}) =>
    testProvider({ baseUrl, key: more.key ?? KEY, model: more.model === undefined ? 'fake' : more.model, clock: more.clock ?? new DrivenClock() });

  test('none: the models are listed', async () => {
    const fake = await fakeFor({ models: ['a', 'b'], turns: [{ steps: [{ text: 'pong' }] }] });
    expect(await tried(fake.baseURL)).toEqual({ ok: true, hop: 'done', status: 200, models: ['a', 'b'], detail: null });
    expect(JSON.stringify(fake.requests[0]!.body)).toBe('{"model":"fake","messages":[{"role":"user","content":"ping"}],"max_tokens":1}');
  });
  test('the name', async () => expect(await tried('http://no-such-host.invalid/v1')).toMatchObject({ ok: false, hop: 'dns', status: null }));
  test('the connection', async () => {
    const free = createTcp();
    await new Promise<void>((done) => free.listen(0, '127.0.0.1', done));
    const { port } = free.address() as AddressInfo;
    await new Promise((done) => free.close(done));
    const result = await tried(`http://127.0.0.1:${port}/v1`);
    expect(result).toMatchObject({ ok: false, hop: 'connect' });
    expect(result.detail).toContain('ECONNREFUSED');
  });
  test('TLS: https to a plain server', async () => {
    const url = await byHand(json({}));
    expect(await tried(url.replace('http:', 'https:'))).toMatchObject({ ok: false, hop: 'tls' });
  });
  test('HTTP: a web page, a fault of the service, a list that is none', async () => {
    const page = await byHand((_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>log in</html>'));
    expect(await tried(page)).toMatchObject({ ok: false, hop: 'http' });
    expect(await tried(page, { model: null })).toMatchObject({ ok: false, hop: 'http' });
    expect(await tried(await byHand(json({ error: { message: 'down' } }, 503)))).toMatchObject({ ok: false, hop: 'http', status: 503 });
  });
  test('the key, and the key is not in what is said', async () => {
    const url = await byHand(json({ error: { message: `Incorrect API key provided: ${KEY}` } }, 401));
    const result = await tried(url);
    expect(result).toMatchObject({ ok: false, hop: 'key', status: 401 });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });
  test('the model', async () => {
    const fake = await fakeFor({ models: ['a'], turns: [{ error: { status: 404, body: { code: 'model_not_found' } } }] });
    expect(await tried(fake.baseURL)).toMatchObject({ ok: false, hop: 'model', status: 404, models: ['a'] });
  });
  test('a service without a list of models still answers', async () => {
    const url = await byHand((req, res) => (req.url?.endsWith('/models') ? json({ error: { message: 'no' } }, 404) : json({ choices: [{ message: { content: 'p' } }] }))(req, res));
    expect(await tried(url)).toMatchObject({ ok: true, hop: 'done' });
  });
  test('a model that knows the limit by its newer name only is asked again with that', async () => {
    const fake = await fakeFor({ models: ['fake'], turns: [{ error: { status: 400, body: { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." } } }, { steps: [{ text: 'p' }] }] });
    expect(await tried(fake.baseURL)).toMatchObject({ ok: true });
    expect(fake.requests[1]!.body['max_completion_tokens']).toBe(64);
  });
  test('a service that never answers is given up by our clock', async () => {
    const clock = new DrivenClock();
    const url = await byHand(() => clock.advance(15_000));
    expect(await tried(url, { clock })).toMatchObject({ ok: false, hop: 'connect', detail: 'no answer within 15000 ms' });
  });
});

describe('a model over HTTP', () => {
  const ask: ModelRequest = { model: 'fake', system: 's', messages: [{ role: 'user', text: 'hi' }], tools: [] };
  const modelAt = (baseUrl: string, clock = new DrivenClock()) => createOpenAiModel({ baseUrl, key: KEY, headTimeoutMs: 60_000, idleTimeoutMs: 120_000, clock });
  const never = new AbortController().signal;
  async function reply(turns: Script['turns'], request: ModelRequest = ask) {
    const fake = await fakeFor({ turns });
    const deltas: ModelDelta[] = [];
    return { fake, deltas, got: await modelAt(fake.baseURL).complete(request, (d) => deltas.push(d), never) };
  }

  test('[WB-COMPOSER-015-B1] a head that does not come is a timeout, by our clock', async () => {
    const clock = new DrivenClock();
    const fake = await fakeFor({ turns: [{ steps: [{ headerDelayMs: 600_000 }, { text: 'late' }] }] });
    const running = modelAt(fake.baseURL, clock).complete(ask, () => {}, never);
    while (fake.requests.length === 0) await new Promise((r) => setImmediate(r));
    clock.advance(60_000);
    expect(await running).toMatchObject({ ok: false, error: { kind: 'timeout', code: 'model.timeout' } });
  });
  test('[WB-COMPOSER-006-AC6] a stop ends the request: the server sees the client go', async () => {
    const stop = new AbortController();
    const fake = await fakeFor({ turns: [{ steps: [{ text: 'half' }, { hang: true }] }] });
    const running = modelAt(fake.baseURL).complete(ask, () => stop.abort(), stop.signal);
    expect(await running).toEqual({ ok: false, error: { kind: 'stopped', code: 'run.stopped' } });
    while (fake.requests[0]!.outcome === 'open') await new Promise((r) => setImmediate(r));
    expect(fake.requests[0]!.outcome).toBe('client-gone');
  });
  test('a reply that was whole before the connection broke is kept', async () => {
    const { got } = await reply([{ steps: [{ text: 'whole' }, { finish: 'stop' }, { cut: 'reset' }] }]);
    expect(got).toMatchObject({ ok: true, value: { text: 'whole', finish: 'stop', usage: null } });
  });
  test.each<[string, Script['turns'][number], object]>([
    ['bad JSON in the stream', { steps: [{ raw: 'data: {"choices": [{\n\n' }] }, { kind: 'protocol', code: 'model.badStream' }],
    ['a reset in the middle', { steps: [{ text: 'a' }, { cut: 'reset' }] }, { kind: 'connection', code: 'model.lost' }],
    ['a clean early end', { steps: [{ text: 'a' }, { cut: 'eof' }] }, { kind: 'connection', code: 'model.lost' }],
    ['a status inside the stream', { steps: [{ streamError: { message: 'upstream', code: 502 as never } }] }, { kind: 'status', status: 502, code: 'model.server' }],
    ['an empty balance said as 429', { error: { status: 429, body: { code: 'insufficient_quota' } } }, { code: 'model.balance' }],
    ['a text that is too long said as 400', { error: { status: 400, body: { code: 'context_length_exceeded' } } }, { code: 'model.tooLong' }],
    ['a wish for later as a date', { error: { status: 429, headers: { 'retry-after': 'Tue, 01 Dec 2026 08:00:07 GMT' } } }, { retryAfterMs: 7000 }],
  ])('[WB-COMPOSER-015-B1] %s is told by its signals', async (_what, turn, failure) => expect((await reply([turn])).got).toMatchObject({ ok: false, error: failure }));

  test('[I13] a key that the provider repeats is taken out', async () => {
    const { got } = await reply([{ error: { status: 401, body: { message: `no such key ${KEY}` } } }]);
    expect(JSON.stringify(got)).not.toContain(KEY);
  });
  test('a provider that refuses stream_options is asked without, from then on', async () => {
    const fake = await fakeFor({ turns: [{ error: { status: 400, body: { message: 'unknown field stream_options' } } }, { times: 2, steps: [{ text: 'ok' }] }] });
    const model = modelAt(fake.baseURL);
    expect([(await model.complete(ask, () => {}, never)).ok, (await model.complete(ask, () => {}, never)).ok]).toEqual([true, true]);
    expect(fake.requests.map((r) => 'stream_options' in r.body)).toEqual([true, false, false]);
  });
  test('reasoning goes back, within the turn, to a provider that streams it, and to no other', async () => {
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'a' }, { role: 'assistant', text: 'old', reasoning: 'earlier thought', calls: [{ id: 'c0', name: 'read_file', args: '{}' }] }, { role: 'tool', call: 'c0', text: 'x', outcome: 'ok', code: null },
      { role: 'user', text: 'b' }, { role: 'assistant', text: '', reasoning: 'my thought', calls: [{ id: 'c1', name: 'read_file', args: '{}' }] }, { role: 'tool', call: 'c1', text: 'x', outcome: 'ok', code: null },
    ];
    const fake = await fakeFor({ turns: [{ steps: [{ reasoning: 'hm' }, { text: 'ok' }] }, { steps: [{ text: 'ok' }] }] });
    const model = modelAt(fake.baseURL);
    for (let i = 0; i < 2; i++) await model.complete({ ...ask, messages }, () => {}, never);
    const sent = fake.requests.map((r) => JSON.stringify(r.body));
    expect(sent.map((s) => [s.includes('my thought'), s.includes('earlier thought')])).toEqual([[false, false], [true, false]]);
  });
  test('names and arguments that a provider would refuse never poison the history', async () => {
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'a' },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: '读 file!', args: '{"cut' }, { id: 'c2', name: '', args: '[1]' }] },
      { role: 'tool', call: 'c1', text: 'no', outcome: 'failed', code: null }, { role: 'tool', call: 'c2', text: 'no', outcome: 'failed', code: null },
      { role: 'assistant', text: '', calls: [] }, { role: 'user', text: 'b' },
    ];
    const { fake } = await reply([{ steps: [{ text: 'ok' }] }], { ...ask, messages });
    const body = fake.requests[0]!.body.messages as unknown as { role: string; tool_calls?: { function: unknown }[] }[];
    expect(body.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(body[2]!.tool_calls!.map((c) => c.function)).toEqual([{ name: '__file_', arguments: '{}' }, { name: 'unknown', arguments: '{}' }]);
    expect(fake.problems()).toEqual([]);
  });
  test('[WB-COMPOSER-003-AC5] raw reasoning is no part of the text', async () => {
    const { got, deltas } = await reply([{ steps: [{ reasoning: 'secret thought', field: 'reasoning' }, { text: 'answer' }] }]);
    expect(got).toMatchObject({ ok: true, value: { text: 'answer', reasoning: 'secret thought' } });
    expect(deltas.map((d) => d.kind)).toEqual(['reasoning', 'text']);
  });
});
