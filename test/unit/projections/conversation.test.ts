import { describe, expect, test } from 'vitest';
import type { PartnerEvent } from '#domain/events/index.ts';
import type { OriginId } from '#domain/ids.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import { closeOpenCalls, modelContext } from '#projections/model-context/model-context.ts';
import { fold } from '#projections/projection.ts';
import { changeId, file, RUN2, story } from '#test/support/events.ts';

const shown = { key: 'tool.read', params: { name: 'a' } };
const said = (text: string) => ({ text: { text } });
function run(fact: ReturnType<typeof story>) {
  return {
    sent: fact('MessageSent', { ...said('hello'), attachments: [], channel: 'web' }),
    thought: fact('ThoughtRecorded', { call: 1, ...said('looking') }),
    called: fact('ToolCalled', { call: 'call_1' as never, tool: 'read_file', args: { text: '{}' }, shown }),
    called2: fact('ToolCalled', { call: 'call_2' as never, tool: 'read_file', args: { text: '{}' }, shown }),
    returned: fact('ToolReturned', { call: 'call_1' as never, outcome: 'ok', ...said('text') }),
  };
}
const view = (events: readonly PartnerEvent[]) => fold(conversation, events).turns;

describe('the conversation', () => {
  test('[WB-COMPOSER-014-AC5] tool calls between two thoughts are one activity', () => {
    const r = run(story());
    const [turn] = view(Object.values(r));
    expect(turn!.process.map((p) => p.kind)).toEqual(['thought', 'activity']);
    expect(turn!.process[1]).toMatchObject({ steps: [{ state: 'ok' }, { state: 'running' }] });
  });
  test('[WB-COMPOSER-015-AC1] [WB-COMPOSER-015-AC2] one retry line, updated in place, gone when it worked, kept when it did not', () => {
    const fact = story();
    const { sent } = run(fact);
    const retry = (call: number, attempt: number) => fact('RetryScheduled', { call, attempt, of: 5, delayMs: 1, code: 'model.busy' });
    const settled = (outcome: 'recovered' | 'exhausted') => fact('RetrySettled', { call: 1, attempt: 2, of: 5, outcome });
    const lines = (events: PartnerEvent[]) => view([sent, ...events])[0]!.process;
    expect(lines([retry(1, 1), retry(1, 2), retry(2, 1)])).toMatchObject([{ kind: 'retry', attempt: 1, of: 5 }]);
    expect(lines([retry(1, 1), settled('recovered')])).toEqual([]);
    expect(lines([retry(1, 5), settled('exhausted')])).toMatchObject([{ kind: 'retry', state: 'exhausted', attempt: 5 }]);
  });
  test('[WB-COMPOSER-014-AC3] a retry throws the draft of the attempt before away', () => {
    const fact = story();
    const { sent } = run(fact);
    const draft = fact('DraftCheckpointed', { call: 1, text: 'half' });
    expect(view([sent, draft])[0]!.draft).toBe('half');
    expect(view([sent, draft, fact('RetryScheduled', { call: 1, attempt: 1, of: 5, delayMs: 1, code: 'x' })])[0]!.draft).toBe('');
  });
  test('an intent without an outcome shows as unsettled; not applied takes it away; unknown says so', () => {
    const fact = story();
    const { sent } = run(fact);
    const change = { change: changeId(), call: null, op: 'write' as const, path: '/w/a', kind: 'file' as const, address: null, before: file('a'), after: file('b') };
    const planned = fact('FileChangePlanned', change);
    const settle = (outcome: 'notApplied' | 'unknown') => fact('FileChangeSettled', { change: change.change, outcome });
    expect(view([sent, planned])[0]!.records).toMatchObject([{ state: 'unsettled' }]);
    expect(view([sent, planned, settle('notApplied')])[0]!.records).toEqual([]);
    expect(view([sent, planned, settle('unknown')])[0]!.records).toMatchObject([{ state: 'unknown', before: file('a') }]);
    expect(view([sent, planned, fact('FileChanged', change)])[0]!.records).toMatchObject([{ state: 'live' }]);
  });
  test('[WB-COMPOSER-006-AC3] the end of a run ends what was open in it', () => {
    const fact = story();
    const r = run(fact);
    const [turn] = view([...Object.values(r), fact('RunStopped', {})]);
    expect(turn).toMatchObject({ status: 'stopped', waiting: null });
    expect(turn!.process[1]).toMatchObject({ steps: [{ state: 'ok' }, { state: 'cancelled' }] });
  });
  test('turns of two origins stand in merge order, each with its own events, whatever order they arrive in', () => {
    const mine = story();
    const theirs = story(('origin_' + 'b'.repeat(26)) as OriginId, 2);
    const a = [mine('MessageSent', { ...said('mine'), attachments: [], channel: 'web' }), mine('AnswerRecorded', { call: 1, ...said('a') })];
    const b = [theirs('MessageSent', { ...said('theirs'), attachments: [], channel: 'web' }, RUN2), theirs('AnswerRecorded', { call: 1, ...said('b') }, RUN2)];
    expect(view([...a, ...b])).toEqual(view([...b, ...a]));
    expect(view([...b, ...a]).map((t) => [t.message.text, t.answer?.text])).toEqual([['mine', 'a'], ['theirs', 'b']]);
  });
  test('events of a newer version are passed over, and what is unknown never breaks a fold', () => {
    const fact = story();
    const { sent } = run(fact);
    const newer = { ...fact('RunCompleted', {}), type: 'RunBlessed', unknown: true } as unknown as PartnerEvent;
    expect(view([sent, newer])).toHaveLength(1);
  });
});

describe('the model’s context', () => {
  test('[WB-SESSION-007-B1] is the log in order; a call that a crash left open is closed', () => {
    const fact = story();
    const r = run(fact);
    const context = fold(modelContext, [...Object.values(r), fact('RunInterrupted', {}), fact('MessageSent', { ...said('go on'), attachments: [], channel: 'web' }, RUN2)]);
    expect(context.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(context.messages[1]).toMatchObject({ calls: [{ id: 'call_1' }, { id: 'call_2' }] });
    expect(context.messages[3]).toMatchObject({ call: 'call_2', outcome: 'cancelled' });
    expect(closeOpenCalls(context)).toBe(context.messages);
  });
  test('[WB-COMPOSER-014-AC3] drafts of a lost connection are not in it', () => {
    const fact = story();
    const { sent } = run(fact);
    expect(fold(modelContext, [sent, fact('DraftCheckpointed', { call: 1, text: 'half' }), fact('RunFailed', { code: 'model.lost' })]).messages).toHaveLength(1);
  });
});
