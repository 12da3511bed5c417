import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAX_CALLS } from '#main/agent/tool-calls.ts';
import type { Script } from '../support/fake-openai/server.ts';
import { stage } from '../support/workbench/stage.ts';

const on = stage(['a.md'], 'direct');

const say = async (text: string) => on.talk.ended(await on.talk.send(text));
const messages = () => on.fake.requests.at(-1)!.body.messages as unknown as { role: string; content: unknown; tool_calls?: { function: { name: string; arguments: string } }[] }[];
const read = { name: 'read_file', args: { path: 'a.md' } };

describe('what a request carries', () => {
  test('[WB-COMPOSER-013-B1] an image goes with the turn that read it; later turns say nothing of it', async () => {
    writeFileSync(join(on.world.work, 'dot.png'), Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'));
    await on.play([{ steps: [{ tool: { name: 'read_image', args: { path: 'dot.png' } } }] }, { times: 2, steps: [{ text: 'a dot' }] }]);
    await say('look');
    expect(messages().map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    await say('and now');
    expect(messages().map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(JSON.stringify(messages())).not.toContain('data:image');
    expect(on.fake.problems()).toEqual([]);
  });
  test('[WB-SESSION-007-B1] the person’s words, what was thought, called and answered, each once and in order', async () => {
    await on.play([{ steps: [{ text: 'I look' }, { tool: read }] }, { steps: [{ text: 'it says one' }] }, { steps: [{ text: 'ok' }] }]);
    await say('what is in a.md? 「引号」 $& \\n');
    await say('thanks');
    const sent = messages();
    expect(sent.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(sent.map((m) => m.content)).toEqual([expect.stringContaining('You are Maple'), 'what is in a.md? 「引号」 $& \\n', 'I look', expect.stringContaining('one\n'), 'it says one', 'thanks']);
  });
  test('a message longer than a line of the log reaches the model whole', async () => {
    await on.play([{ steps: [{ text: 'long' }] }]);
    const text = '长 text 👋 '.repeat(3500);
    expect((await say(text)).status).toBe('completed');
    expect(messages()[1]!.content).toBe(text);
  });
  test('the oldest turns stay out when the budget is full, the newest stays whole', async () => {
    await on.play([{ times: 'always', steps: [{ text: 'ok' }] }]);
    const long = '字'.repeat(31_000);
    for (const n of [1, 2, 3, 4]) await say(`${n}${long}`);
    expect(messages().filter((m) => m.role === 'user').map((m) => (m.content as string).slice(0, 1))).toEqual(['2', '3', '4']);
  });
  test('a stopped or failed turn stays in the thread, its half text does not', async () => {
    await on.play([{ steps: [{ text: 'half' }, { hang: true }] }, { error: { status: 401 } }, { steps: [{ text: 'ok' }] }]);
    const run = await on.talk.send('first');
    while (on.fake.requests[0]?.chunksSent !== 1) await new Promise((r) => setImmediate(r));
    await on.talk.stop();
    await on.talk.ended(run);
    expect((await say('second')).status).toBe('failed');
    await say('third');
    expect(messages().slice(1).map((m) => m.content)).toEqual(['first', 'second', 'third']);
  });
});

describe('a reply with more than can be done', () => {
  test('calls beyond the limit of one reply do not run, and the model is told', async () => {
    await on.play([{ steps: [{ tools: Array.from({ length: MAX_CALLS + 3 }, (_, i) => ({ name: 'create_file', args: { path: `n${i}.md`, content: 'x' }, split: 0 })) }] }, { when: { role: 'tool' }, steps: [{ text: 'done' }] }]);
    const turn = await say('go');
    expect(turn.records).toHaveLength(MAX_CALLS);
    const codes = turn.process.flatMap((p) => (p.kind === 'activity' ? p.steps.map((s) => s.code) : []));
    expect(codes.filter((c) => c === 'tool.tooMany')).toHaveLength(3);
    expect(on.fake.problems()).toEqual([]);
  });
  test('a call with an impossible name is answered, and later requests stay acceptable', async () => {
    await on.play([{ steps: [{ tool: { name: '读 文件', args: {} } }] }, { steps: [{ text: 'sorry' }] }]);
    expect(await say('go')).toMatchObject({ status: 'completed', answer: { text: 'sorry' } });
    for (const m of messages()) for (const c of m.tool_calls ?? []) expect(c.function.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe('the retry line', () => {
  const busy = (): Script['turns'][number] => ({ error: { status: 503 } });
  async function passes(pauses: number, look: () => void): Promise<void> {
    for (let i = 0; i < pauses; i++) {
      const ms = await on.world.clock.waits(400, 5000);
      await on.talk.until((t) => t.process.some((p) => p.kind === 'retry' && p.attempt === i + 1));
      look();
      on.world.clock.advance(ms);
    }
  }
  test('[WB-COMPOSER-015-AC1] [WB-COMPOSER-015-AC2] one line counts in place, and a later call of the run uses it again', async () => {
    await on.play([busy(), busy(), { steps: [{ tool: read }] }, busy(), { steps: [{ text: 'ok' }] }]);
    const run = await on.talk.send('go');
    const lines: unknown[] = [];
    const look = () => lines.push(on.talk.last.process.filter((p) => p.kind === 'retry').map((p) => `${p.id.split(':')[1]} ${p.attempt}/${p.of} ${p.state}`));
    await passes(2, look);
    await on.talk.until((t) => t.process.some((p) => p.kind === 'activity') && !t.process.some((p) => p.kind === 'retry'));
    await passes(1, look);
    const turn = await on.talk.ended(run);
    expect(lines).toEqual([['llm-retry 1/5 running'], ['llm-retry 2/5 running'], ['llm-retry 1/5 running']]);
    expect(turn.process.map((p) => p.kind)).toEqual(['activity']);
  });
});
