import { describe, expect, test } from 'vitest';
import { fitFrom, shortened } from '#main/agent/fit.ts';
import type { ContextMessage } from '#projections/model-context/model-context.ts';

const long = (chars: number) => ({ blob: 'a'.repeat(64) as never, chars, head: 'x'.repeat(2000) });
const user = (text: string): ContextMessage => ({ role: 'user', text: { text }, attachments: [] });
const asks = (n: number, args = '{}'): ContextMessage => ({ role: 'assistant', text: { text: `step ${n}` }, reasoning: null, calls: [{ id: `c${n}`, name: 'read_file', args: { text: args } }] });
const gets = (n: number, chars = 36_000, images: string[] = []): ContextMessage => ({ role: 'tool', call: `c${n}`, outcome: 'ok', code: null, text: long(chars), images: images as never });
const run = (steps: number): ContextMessage[] => [user('do it'), ...Array.from({ length: steps }, (_, n) => [asks(n), gets(n)]).flat()];
const whole = (messages: readonly ContextMessage[]) => messages.filter((m) => m.role === 'tool' && 'blob' in m.text).length;

describe('[WB-SESSION-007-B1] what a long run sends', () => {
  test('all of it while it fits, then the oldest results give way, to below the budget and with room to go on', () => {
    let from = 0;
    const moves: number[] = [];
    for (let steps = 1; steps <= 40; steps++) {
      const next = fitFrom(run(steps), from, 60_000);
      if (next !== from) moves.push(steps);
      expect(next).toBeGreaterThanOrEqual(from);
      from = next;
      // 10,000 tokens a result: at most six of them.
      expect(whole(shortened(run(steps), from))).toBeLessThanOrEqual(6);
    }
    expect(moves[0]).toBe(6);
    expect(moves.every((at, i) => i === 0 || at - moves[i - 1]! >= 2)).toBe(true);
  });
  test('the newest reply has its results whole, however long; what was asked and said stays', () => {
    const messages = [user('first word '.repeat(500)), asks(1), gets(1), asks(2), gets(2, 900_000), gets(3, 900_000)];
    const sent = shortened(messages, fitFrom(messages, 0, 60_000));
    expect(sent.slice(3)).toEqual(messages.slice(3));
    expect(sent[0]).toEqual(messages[0]);
    expect(sent[2]).toMatchObject({ call: 'c1', text: { text: expect.stringContaining('35600 more characters') } });
  });
  test('reasoning counts, and gives way like the results', () => {
    const thought = (n: number): ContextMessage => ({ ...(asks(n) as Extract<ContextMessage, { role: 'assistant' }>), reasoning: long(40_000) });
    const messages = [user('go'), ...Array.from({ length: 60 }, (_, n) => [thought(n), gets(n, 10)]).flat()];
    const sent = shortened(messages, fitFrom(messages, 0, 60_000));
    const reasoned = sent.filter((m) => m.role === 'assistant' && m.reasoning && 'blob' in m.reasoning);
    expect(reasoned.length).toBeLessThanOrEqual(5);
    expect(sent.every((m) => m.role !== 'assistant' || m.reasoning !== null)).toBe(true);
  });
  test('images and long arguments give way too; arguments stay JSON', () => {
    const messages = [user('go'), asks(1, JSON.stringify({ content: 'y'.repeat(300_000) })), gets(1, 10, ['b'.repeat(64)]), asks(2), gets(2)];
    const sent = shortened(messages, fitFrom(messages, 0, 60_000));
    expect(shortened(messages, 3)[2]).toMatchObject({ images: [] });
    const [call] = (sent[1] as Extract<ContextMessage, { role: 'assistant' }>).calls;
    expect(JSON.parse((call!.args as { text: string }).text)).toMatchObject({ shortened: expect.stringContaining('characters') });
  });
});
