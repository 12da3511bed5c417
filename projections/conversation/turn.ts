import type { LongText, PartnerEvent } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import { recordChange, recordUnsettled } from './records.ts';
import type { ProcessEntry, StepView, TurnView } from './views.ts';

/** Shown text of a long text: the line's own, or the head with the blob behind it. */
export function inlineOf(t: LongText): { readonly text: string; readonly more: TurnView['message']['more'] } {
  return 'blob' in t ? { text: t.head, more: { blob: t.blob, chars: t.chars } } : { text: t.text, more: null };
}

/** Starts a turn from its MessageSent. */
export function startTurn(event: Extract<PartnerEvent, { type: 'MessageSent' }>): TurnView | null {
  if (event.run === null) return null;
  const message = event.data
    ? { ...inlineOf(event.data.text), attachments: event.data.attachments, erased: false }
    : { text: '', more: null, attachments: [], erased: true };
  return {
    run: event.run, origin: event.origin, seq: event.seq, lamport: event.lamport, at: event.at, message,
    model: null, permission: 'review', status: 'running', process: [], answer: null, draft: '', waiting: null,
    records: [], failure: null, usage: { prompt: 0, completion: 0 }, endedAt: null,
  };
}

/**
 * Folds one event into its turn: an event of the turn's run, or a later `FileChanged` whose `reverts`
 * names one of the turn's records. Total: what it does not know it leaves alone.
 */
export function projectTurn(turn: TurnView, event: PartnerEvent): TurnView {
  if (event.unknown) return turn;
  if (event.data === null) return event.type === 'AnswerRecorded' ? { ...turn, answer: null } : turn;
  switch (event.type) {
    case 'RunStarted': return { ...turn, model: event.data.model, permission: event.data.permission };
    case 'DraftCheckpointed': return { ...turn, draft: turn.draft + event.data.text };
    case 'ThoughtRecorded': {
      const text = inlineOf(event.data.text).text;
      const next = { ...turn, draft: '' };
      return text.trim() ? addEntry(next, { kind: 'thought', id: event.id, text }) : next;
    }
    case 'ToolCalled': return addStep({ ...turn, draft: '' }, event.id, { call: event.data.call, shown: event.data.shown, state: 'running', code: null, decision: null });
    case 'ToolReturned': {
      const { call, outcome, code } = event.data;
      return mapStep(turn, call, (s) => ({ ...s, state: outcome, code: code ?? null }));
    }
    case 'ApprovalAsked': {
      const calls = new Set<string>(event.data.plans.map((p) => p.call));
      const waiting = { ...turn, status: 'waiting' as const, waiting: { batch: event.data.batch, plans: event.data.plans } };
      return mapSteps(waiting, (s) => (calls.has(s.call) ? { ...s, state: 'waiting' } : s));
    }
    case 'ApprovalDecided': {
      if (turn.waiting?.batch !== event.data.batch) return turn;
      const decisions = new Map(event.data.decisions.map((d) => [d.call, d]));
      const decided = { ...turn, status: 'running' as const, waiting: null };
      return mapSteps(decided, (s) => {
        const d = decisions.get(s.call);
        return d ? { ...s, state: 'running', decision: { decision: d.decision, guidance: d.guidance ?? null } } : s;
      });
    }
    case 'FileChangePlanned': return event.data.reverts ? turn : { ...turn, records: recordUnsettled(turn.records, event.data, turn.run, 'unsettled') };
    case 'FileChanged': return { ...turn, records: settleInto(turn.records, event.data, event.run === turn.run ? turn.run : null, event.at) };
    case 'FileChangeFailed': return { ...turn, records: forget(turn.records, event.data.change) };
    case 'FileChangeSettled': {
      const { change, outcome } = event.data;
      if (outcome === 'notApplied') return { ...turn, records: forget(turn.records, change) };
      const state = outcome === 'applied' ? ('live' as const) : ('unknown' as const);
      return { ...turn, records: turn.records.map((r) => (r.steps.some((s) => s.change === change) ? { ...r, state } : r)) };
    }
    case 'RetryScheduled': {
      const entry: ProcessEntry = { kind: 'retry', id: `${turn.run}:llm-retry`, attempt: event.data.attempt, of: event.data.of, state: 'running', code: event.data.code };
      return { ...turn, draft: '', process: [...turn.process.filter((p) => p.kind !== 'retry'), entry] };
    }
    case 'RetrySettled':
      return event.data.outcome === 'exhausted'
        ? { ...turn, process: turn.process.map((p) => (p.kind === 'retry' ? { ...p, state: 'exhausted' as const } : p)) }
        : { ...turn, process: turn.process.filter((p) => p.kind !== 'retry') };
    case 'AnswerRecorded':
      return { ...turn, draft: '', answer: { ...inlineOf(event.data.text), suggestions: event.data.suggestions ?? [] } };
    case 'UsageReported':
      return { ...turn, usage: { prompt: turn.usage.prompt + event.data.prompt, completion: turn.usage.completion + event.data.completion } };
    case 'RunCompleted': return end(turn, 'completed', event.at);
    case 'RunStopped': return end(turn, 'stopped', event.at);
    case 'RunLimitReached': return end(turn, 'limit', event.at);
    case 'RunInterrupted': return end(turn, 'interrupted', event.at);
    case 'RunFailed': {
      const { code, status, detail } = event.data;
      return end({ ...turn, failure: { code, ...(status !== undefined ? { status } : {}), ...(detail !== undefined ? { detail } : {}) } }, 'failed', event.at);
    }
    default: return turn;
  }
}

function end(turn: TurnView, status: TurnView['status'], at: string): TurnView {
  const closed = mapSteps(turn, (s) => (s.state === 'running' || s.state === 'waiting' ? { ...s, state: 'cancelled' } : s));
  return { ...closed, status, waiting: null, endedAt: at };
}

function settleInto(records: TurnView['records'], done: Parameters<typeof recordChange>[1], run: TurnView['run'] | null, at: string): TurnView['records'] {
  if (done.reverts) return recordChange(records, done, run, at);
  return recordChange(forget(records, done.change), done, run, at);
}

/** Takes an intent's step back out of its record: it never happened, or its outcome is folded next. */
function forget(records: TurnView['records'], change: ChangeId): TurnView['records'] {
  return records.flatMap((r) => {
    const last = r.steps.at(-1);
    if (last?.change !== change) return [r];
    const steps = r.steps.slice(0, -1);
    const previous = steps.at(-1);
    if (!previous) return [];
    return [{ ...r, steps, path: previous.to ?? previous.path, after: previous.after, trashed: previous.trashed, state: 'live' as const }];
  });
}

function addEntry(turn: TurnView, entry: ProcessEntry): TurnView {
  return { ...turn, process: [...turn.process, entry] };
}

function addStep(turn: TurnView, id: string, step: StepView): TurnView {
  const last = turn.process.at(-1);
  if (last?.kind !== 'activity') return addEntry(turn, { kind: 'activity', id, steps: [step] });
  return { ...turn, process: [...turn.process.slice(0, -1), { ...last, steps: [...last.steps, step] }] };
}

function mapStep(turn: TurnView, call: string, change: (s: StepView) => StepView): TurnView {
  return mapSteps(turn, (s) => (s.call === call ? change(s) : s));
}

function mapSteps(turn: TurnView, change: (s: StepView) => StepView): TurnView {
  return { ...turn, process: turn.process.map((p) => (p.kind === 'activity' ? { ...p, steps: p.steps.map(change) } : p)) };
}
