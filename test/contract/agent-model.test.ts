import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolPairProblems, type Script } from '../support/fake-openai/server.ts';
import { World } from '../support/workbench/world.ts';
import { stage } from '../support/workbench/stage.ts';

const on = stage(['a.md'], 'direct');

const read = (args: unknown = { path: 'a.md' }) => ({ name: 'read_file', args: args as Record<string, unknown> });

describe('what a model sends', () => {
  test('[WB-COMPOSER-014-AC1] text streams in pieces and becomes one answer', async () => {
    await on.play([{ steps: [{ text: '你好 world 👋 again', chunk: 2 }] }]);
    const turn = await on.talk.ended(await on.talk.send('hi'));
    expect(turn).toMatchObject({ status: 'completed', answer: { text: '你好 world 👋 again' }, draft: '' });
    // What was live is what was said.
    expect(on.talk.drafts.map((d) => d.text).join('')).toContain('你好');
  });
  test.each<[string, NonNullable<Script['turns'][number]['steps']>]>([
    ['split', [{ tool: { ...read(), split: 2 } }]],
    ['without an index', [{ tool: { ...read(), quirk: 'no-index', split: 3 } } as never]],
    ['with repeated ids', [{ tool: { ...read(), quirk: 'repeat-id', split: 3 } } as never]],
    ['with an empty id', [{ tool: { ...read(), quirk: 'empty-id' } } as never]],
    ['with arguments as an object', [{ tool: { ...read(), quirk: 'object-args' } } as never]],
    ['interleaved', [{ tools: [{ ...read(), split: 2 }, { name: 'list_files', args: {}, split: 1 }], interleave: true }]],
  ])('[WB-COMPOSER-014-AC2] tool calls %s are assembled and answered in pairs', async (_how, steps) => {
    await on.play([{ steps }, { when: { role: 'tool' }, steps: [{ text: 'done' }] }]);
    const turn = await on.talk.ended(await on.talk.send('read it'));
    expect(turn).toMatchObject({ status: 'completed', answer: { text: 'done' } });
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.state) : [])).every((s) => s === 'ok')).toBe(true);
    expect(on.fake.problems()).toEqual([]);
  });
  test('arguments that are no JSON, a tool that is unknown and one with wrong arguments fail without running', async () => {
    await on.play([
      { steps: [{ tool: { name: 'create_file', rawArgs: '{"path":"x.md","content":"cut' } as never }] },
      { when: { role: 'tool' }, steps: [{ tools: [{ name: 'rm_rf', args: {} }, { name: 'create_file', args: { path: 7 } as never }] }] },
      { when: { role: 'tool' }, steps: [{ text: 'sorry' }] },
    ]);
    const turn = await on.talk.ended(await on.talk.send('go'));
    expect(turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []))).toEqual(['tool.badJson', 'tool.unknown', 'tool.arguments']);
    expect(turn.records).toEqual([]);
    expect(on.fake.problems()).toEqual([]);
  });
  test('[WB-COMPOSER-013-B1] [WB-COMPOSER-013-AC3] an image joins the next request and its bytes never reach the log', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    writeFileSync(join(on.world.work, 'dot.png'), png);
    await on.play([{ steps: [{ tool: { name: 'read_image', args: { path: 'dot.png' } } }] }, { steps: [{ text: 'a dot' }] }]);
    await on.talk.ended(await on.talk.send('look'));
    const base64 = png.toString('base64');
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).toContain(`data:image/png;base64,${base64}`);
    expect(on.world.grep(base64.slice(0, 60))).toEqual([]);
  });
  test('[WB-COMPOSER-014-AC3] a cut answer is kept and says so; a cut tool call never runs', async () => {
    await on.play([
      { steps: [{ text: 'the first half' }, { finish: 'length' }] },
      { steps: [{ tool: { name: 'create_file', args: { path: 'x.md', content: 'x' } } }, { finish: 'length' }] },
      { steps: [{ text: 'no' }, { finish: 'content_filter' }] },
      { steps: [] },
    ]);
    expect(await on.talk.ended(await on.talk.send('1'))).toMatchObject({ status: 'failed', failure: { code: 'model.truncated' }, answer: { text: 'the first half' } });
    expect(await on.talk.ended(await on.talk.send('2'))).toMatchObject({ status: 'failed', failure: { code: 'model.truncated' }, records: [] });
    expect(await on.talk.ended(await on.talk.send('3'))).toMatchObject({ status: 'failed', failure: { code: 'model.filtered' } });
    expect(await on.talk.ended(await on.talk.send('4'))).toMatchObject({ status: 'failed', failure: { code: 'model.empty' } });
  });
  test('[WB-SESSION-007-AC7] the run limit ends a run that can be continued', async () => {
    await on.world.close();
    on.world = await World.open({ steps: 2 });
    writeFileSync(join(on.world.work, 'a.md'), 'one\n');
    await on.play([{ times: 2, steps: [{ tool: read() }] }, { steps: [{ text: 'on we go' }] }]);
    expect(await on.talk.ended(await on.talk.send('loop'))).toMatchObject({ status: 'limit' });
    expect(await on.talk.ended(await on.talk.send('continue'))).toMatchObject({ status: 'completed' });
    expect(on.fake.problems()).toEqual([]);
  });
});

describe('when the provider fails', () => {
  /** Lets the retry pauses pass as they come. */
  async function passing(run: Promise<unknown>, pauses: number): Promise<number[]> {
    const waited: number[] = [];
    for (let i = 0; i < pauses; i++) {
      const ms = await on.world.clock.waits(400, 17_000);
      waited.push(ms);
      on.world.clock.advance(ms);
    }
    await run;
    return waited;
  }
  test.each<[string, Script['turns'][number]]>([
    ['a busy 503', { error: { status: 503 } }],
    ['an HTML 502', { error: { status: 502, body: '<html>bad gateway</html>' } }],
    ['a 408', { error: { status: 408 } }],
    ['a socket closed before the head', { drop: true }],
    ['a reset in the middle', { steps: [{ text: 'half' }, { cut: 'reset' } as never] }],
    ['a silent early end', { steps: [{ text: 'half' }, { cut: 'eof' } as never] }],
    ['an error inside the stream', { steps: [{ streamError: { message: 'overloaded', type: 'server_error', code: 'server_overloaded' } }] }],
  ])('[WB-COMPOSER-015-B1] %s is tried again, and nothing of the first attempt is joined', async (_what, turn) => {
    await on.play([turn, { steps: [{ text: 'whole' }] }]);
    const run = await on.talk.send('hi');
    await passing(on.talk.ended(run), 1);
    expect(on.talk.last).toMatchObject({ status: 'completed', answer: { text: 'whole' }, draft: '' });
    expect(on.talk.last.process).toEqual([]);
    expect(on.fake.problems()).toEqual([]);
  });
  test('[WB-COMPOSER-015-B2] [WB-COMPOSER-015-B3] [WB-COMPOSER-015-AC4] a rate limit is waited out from 2 s to 15 s, five times, then says how it ended', async () => {
    await on.play([{ times: 'always', error: { status: 429 } }]);
    const run = await on.talk.send('hi');
    const waited = await passing(on.talk.ended(run), 5);
    for (const [i, nominal] of [2000, 4000, 8000, 15_000, 15_000].entries()) expect(waited[i]! / nominal).toBeCloseTo(1, 0);
    expect(on.talk.last).toMatchObject({ status: 'failed', failure: { code: 'model.busy', status: 429 }, process: [{ kind: 'retry', state: 'exhausted', attempt: 5, of: 5 }] });
    expect(on.fake.requests).toHaveLength(6);
  });
  test('[WB-COMPOSER-015-AC1] a provider’s own retry-after counts', async () => {
    await on.play([{ error: { status: 429, headers: { 'retry-after': '9' } } }, { steps: [{ text: 'ok' }] }]);
    const run = await on.talk.send('hi');
    expect((await passing(on.talk.ended(run), 1))[0]).toBe(9000);
  });
  test.each<[string, Script['turns'][number], string]>([
    ['a refused key', { error: { status: 401 } }, 'model.key'],
    ['no money', { error: { status: 402 } }, 'model.balance'],
    ['an empty balance said with 429', { error: { status: 429, body: { message: 'quota', code: 'insufficient_quota' } } }, 'model.balance'],
    ['an unknown model', { error: { status: 404 } }, 'model.notFound'],
    ['a bad request', { error: { status: 400, body: { message: 'no' } } }, 'model.refused'],
  ])('[WB-SESSION-007-AC1] %s ends the run at once', async (_what, turn, code) => {
    await on.play([{ times: 'always', ...turn }]);
    expect(await on.talk.ended(await on.talk.send('hi'))).toMatchObject({ status: 'failed', failure: { code } });
    expect(on.fake.requests).toHaveLength(1);
  });
  test('a provider that falls silent after the head is given up by our own watch', async () => {
    await on.play([{ steps: [{ text: 'half' }, { hang: true }] }, { steps: [{ text: 'whole' }] }]);
    const run = await on.talk.send('hi');
    await on.world.clock.waits(119_000, 121_000);
    on.world.clock.advance(120_000);
    await passing(on.talk.ended(run), 1);
    expect(on.talk.last).toMatchObject({ status: 'completed', answer: { text: 'whole' } });
  });
});

describe('stopping', () => {
  test.each<[string, Script['turns'][number]]>([
    ['before the response head', { steps: [{ headerDelayMs: 600_000 }, { text: 'late' }] }],
    ['before the first token', { steps: [{ hang: true }] }],
    ['in the middle of the text', { steps: [{ text: 'half' }, { hang: true }] }],
  ])('[WB-COMPOSER-006-AC6] %s ends at once as stopped, and the next message continues', async (_when, turn) => {
    await on.play([turn, { steps: [{ text: 'go on' }] }]);
    const run = await on.talk.send('hi');
    while (on.fake.requests.length === 0) await new Promise((r) => setImmediate(r));
    expect(await on.talk.stop()).toEqual({ ok: true, value: { stopped: true } });
    expect(await on.talk.ended(run)).toMatchObject({ status: 'stopped', answer: null });
    expect(await on.talk.ended(await on.talk.send('and now'))).toMatchObject({ status: 'completed' });
    // A half text is no part of what the model is told later (WB-COMPOSER-014-AC3).
    expect(JSON.stringify(on.fake.requests.at(-1)!.body)).not.toContain('half');
  });
  test('[WB-COMPOSER-006-AC2] during a retry pause', async () => {
    await on.play([{ times: 'always', error: { status: 503 } }]);
    const run = await on.talk.send('hi');
    await on.world.clock.waits(400, 1000);
    await on.talk.stop();
    expect(await on.talk.ended(run)).toMatchObject({ status: 'stopped', process: [] });
    expect(on.fake.requests).toHaveLength(1);
  });
});

test('[I13] the key is nowhere in the data folder but in the secret storage, and in no view', async () => {
  await on.play([{ times: 'always', error: { status: 401, body: { message: 'Incorrect API key sk-canary-0815-secret provided' } } }]);
  await on.talk.ended(await on.talk.send('hi'));
  const views = await Promise.all([on.world.api.call['app.view']({}), on.world.api.call['log.read']({ partner: on.talk.id }), on.world.api.call['conversation.page']({ partner: on.talk.id })]);
  expect(JSON.stringify(views)).not.toContain('canary');
  expect(on.world.grep('sk-canary-0815-secret')).toEqual([]);
});

test('every request keeps OpenAI’s pairs', async () => {
  await on.play([{ steps: [{ tool: read() }] }, { steps: [{ text: 'ok' }] }]);
  await on.talk.ended(await on.talk.send('hi'));
  for (const r of on.fake.requests) expect(toolPairProblems(r.body.messages)).toEqual([]);
});
