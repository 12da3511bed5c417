import { describe, expect, test } from 'vitest';
import type { PartnerEvent } from '#domain/events/index.ts';
import { decide, type PartnerCommand } from '#domain/partner/decide.ts';
import { evolve, NEW_PARTNER, type PartnerState } from '#domain/partner/state.ts';
import { RUN, RUN2, story } from '#test/support/events.ts';

const face = { shape: 'drop', colour: 'lake' } as const;
const send = (run = RUN, text = 'hello'): PartnerCommand => ({ do: 'SendMessage', run, text: { text }, attachments: [], channel: 'web', model: { provider: 'local' as never, model: 'local' }, permission: 'review', language: 'en', addresses: [] });
const given = (...events: PartnerEvent[]): PartnerState => events.reduce(evolve, NEW_PARTNER);
const types = (state: PartnerState, command: PartnerCommand) => {
  const decided = decide(state, command);
  return decided.ok ? decided.value.map((e) => e.type) : decided.error.code;
};
const BATCH = ('batch_' + 'a'.repeat(26)) as never;

function world() {
  const fact = story();
  const created = fact('PartnerCreated', { name: 'Maple', face }, null);
  const sent = fact('MessageSent', { text: { text: 'hi' }, attachments: [], channel: 'web' });
  const plan = (call: string) => ({ call: call as never, op: 'write' as const, path: '/w/a', kind: 'file' as const, address: null, before: null, after: null, risk: 'low' as const, strong: false, warnings: [], shown: { key: 'tool.write', params: {} } });
  const asked = fact('ApprovalAsked', { batch: BATCH, plans: [plan('call_1'), plan('call_2')] });
  return { fact, created, sent, asked };
}

describe('a partner decides', () => {
  test('[WB-SESSION-001-B4] creating writes the partner at once', () => {
    expect(types(NEW_PARTNER, { do: 'CreatePartner', name: 'Maple', face })).toEqual(['OriginStarted', 'PartnerCreated']);
    expect(types(given(world().created), { do: 'CreatePartner', name: 'Maple', face })).toBe('partner.exists');
  });
  test('a command that changes nothing makes no fact', () => {
    const state = given(world().created);
    expect(types(state, { do: 'RenamePartner', name: 'Maple' })).toEqual([]);
    expect(types(state, { do: 'PinPartner', pinned: false })).toEqual([]);
    expect(types(state, { do: 'ChoosePermission', permission: 'review', channel: 'web', insideRun: false })).toEqual([]);
  });
  test('[WB-COMPOSER-003-B1] a message starts a run with its frozen configuration', () => {
    expect(types(given(world().created), send())).toEqual(['MessageSent', 'RunStarted']);
    expect(types(NEW_PARTNER, send())).toBe('partner.unknown');
    expect(types(given(world().created), send(RUN, '  \n '))).toBe('message.empty');
  });
  test('[WB-COMPOSER-006-AC5] no second message while a run is going or stopping', () => {
    const { created, sent, fact } = world();
    expect(types(given(created, sent), send(RUN2))).toBe('run.busy');
    expect(types(given(created, sent, fact('StopRequested', { channel: 'web' })), send(RUN2))).toBe('run.stopping');
    expect(types(given(created, sent, fact('RunStopped', {})), send(RUN2))).toEqual(['MessageSent', 'RunStarted']);
  });
  test('[WB-BLOCKER-001-B1] a batch is decided whole, once, by a person outside of any run', () => {
    const { created, sent, asked, fact } = world();
    const state = given(created, sent, asked);
    const answer = (decisions: readonly { call: string; decision: 'approve' | 'reject' | 'guide'; guidance?: string }[], insideRun = false): PartnerCommand => ({ do: 'DecideApproval', batch: BATCH, channel: 'cli', insideRun, decisions: decisions as never });
    const both = [{ call: 'call_1', decision: 'approve' as const }, { call: 'call_2', decision: 'approve' as const }];
    expect(types(state, answer(both))).toEqual(['ApprovalDecided']);
    expect(types(state, answer(both.slice(1)))).toBe('approval.incomplete');
    expect(types(state, answer([both[0]!, both[0]!]))).toBe('approval.unknownCall');
    expect(types(state, answer([...both, { call: 'call_3', decision: 'approve' }]))).toBe('approval.unknownCall');
    expect(types(state, answer([both[0]!, { call: 'call_2', decision: 'guide', guidance: ' ' }]))).toBe('approval.noGuidance');
    expect(types(state, answer(both, true))).toBe('rights.insideRun');
    const decided = fact('ApprovalDecided', { batch: BATCH, channel: 'web', decisions: [] });
    expect(types(given(created, sent, asked, decided), answer(both))).toBe('approval.gone');
    // An approval dies with its run (design §5).
    expect(types(given(created, sent, asked, fact('RunInterrupted', {})), answer(both))).toBe('approval.gone');
  });
  test('[WB-COMPOSER-007-AC13] permission is never raised from inside a run', () => {
    expect(types(given(world().created), { do: 'ChoosePermission', permission: 'full', channel: 'cli', insideRun: true })).toBe('rights.insideRun');
  });
  test('stopping twice says it once', () => {
    const { created, sent, fact } = world();
    expect(types(given(created, sent), { do: 'RequestStop', channel: 'web' })).toEqual(['StopRequested']);
    expect(types(given(created, sent, fact('StopRequested', { channel: 'web' })), { do: 'RequestStop', channel: 'web' })).toEqual([]);
    expect(types(given(created), { do: 'RequestStop', channel: 'web' })).toBe('run.none');
  });
});

test('[WB-COMPOSER-006-AC3] a stop is final: a question that was on its way when it came can no longer be answered', () => {
  const { fact, created, sent, asked } = world();
  const stopping = given(created, sent, fact('StopRequested', { channel: 'web' }), asked);
  expect(stopping.active?.status).toBe('stopping');
  const yes = { do: 'DecideApproval', batch: BATCH, channel: 'web', insideRun: false, decisions: [{ call: 'call_1', decision: 'approve' }, { call: 'call_2', decision: 'approve' }] } as never;
  expect(types(stopping, yes)).toBe('approval.gone');
  expect(types(stopping, send(RUN2))).toBe('run.stopping');
});
