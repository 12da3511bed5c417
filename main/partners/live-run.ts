import { draft, partnerEvents, type ModelChoice, type PartnerEvent, type Permission, type StoredEvent } from '#domain/events/index.ts';
import type { RunId } from '#domain/ids.ts';
import { messageTokens, resolveMessages } from '#main/agent/context.ts';
import { fitFrom, shortened } from '#main/agent/fit.ts';
import { LogRefused, type HaltReason } from '#main/agent/log-refused.ts';
import { runAgent } from '#main/agent/run-loop.ts';
import type { GateAddress } from '#main/gate/types.ts';
import type { Model, ModelMessage } from '#main/model/types.ts';
import { closeOpenCalls, modelContext } from '#projections/model-context/model-context.ts';
import { fold } from '#projections/projection.ts';
import type { PartnerCore } from './core.ts';
import { undoFor } from './undo.ts';

/** Tokens of earlier turns that a request carries at most; older turns are left out, newest kept whole. */
const HISTORY_TOKENS = 60_000;
const HISTORY_TURNS = 200;

/** A run in flight. `ended` resolves after its ending fact, never rejects. */
export interface LiveRun {
  readonly run: RunId;
  readonly ended: Promise<void>;
  abort(why: HaltReason): void;
}

export interface RunOrder {
  readonly run: RunId;
  readonly opening: readonly StoredEvent[];
  readonly model: ModelChoice;
  readonly permission: Permission;
  readonly language: 'zh' | 'en';
  readonly addresses: readonly GateAddress[];
  readonly port: Model;
}

/** Sets the run loop going on a partner. */
export function startRun(partner: PartnerCore, order: RunOrder): LiveRun {
  const stop = new AbortController();
  const { deps } = partner;
  const ended = (async () => {
    try {
      const past = await pastOf(partner, order.run);
      await runAgent(
        { ...deps, changes: partner.changes, undo: undoFor(partner, order.run) },
        {
          commit: (drafts, options) => partner.commit(drafts, options),
          draft: (call, offset, text, thinking) => partner.draft(order.run, call, offset, text, thinking),
          decision: (batch) => partner.decision(batch),
          history: async () => past.messages,
        },
        { ...order, partnerName: partner.state.facts.name, pointedAt: past.pointedAt, signal: stop.signal },
      );
    } catch (cause) {
      if (!(cause instanceof LogRefused)) deps.report('run', cause);
      // Even this must not leave whoever waits for the end hanging.
      await endBroken(partner, order.run, cause).catch((bug: unknown) => deps.report('run end', bug));
    }
  })();
  return { run: order.run, ended, abort: (why) => stop.abort(why) };
}

/**
 * The run broke off in the middle: its log refused a fact (disk full), or our own code threw. The turn
 * gets an ending if the log takes one now; if not, before the next message; a start marks it interrupted.
 */
async function endBroken(partner: PartnerCore, run: RunId, cause: unknown): Promise<void> {
  const code = cause instanceof LogRefused ? cause.message : 'run.crashed';
  const detail = cause instanceof LogRefused ? {} : { detail: String(cause instanceof Error ? (cause.stack ?? cause.message) : cause).slice(0, 4000) };
  if (partner.state.active?.run !== run || partner.log.mode !== 'open') return;
  await partner.endBroken(draft(partnerEvents.RunFailed, { code, ...detail }, { actor: 'host', run }));
}

/** Messages of earlier turns within the budget, oldest first, and every file the person pointed at in them. */
async function pastOf(partner: PartnerCore, current: RunId): Promise<{ messages: readonly ModelMessage[]; pointedAt: readonly string[] }> {
  let left = HISTORY_TOKENS;
  let turns = 0;
  const blocks: ModelMessage[][] = [];
  const pointedAt = new Set<string>();
  for await (const events of partner.history.turnEvents()) {
    for (const e of events) if (e.type === 'MessageSent') for (const a of e.data?.attachments ?? []) pointedAt.add(a.path);
    if (events[0]?.run === current) continue;
    // Reasoning goes back within its own turn only.
    const said = closeOpenCalls(fold(modelContext, events as readonly PartnerEvent[])).map((m) => (m.role === 'assistant' ? { ...m, reasoning: null } : m));
    // One long turn gives way in its tool results before it is left out.
    const messages = await resolveMessages(partner.deps.blobs, shortened(said, fitFrom(said, 0, HISTORY_TOKENS / 2)), 'without images');
    left -= messages.reduce((n, m) => n + messageTokens(m), 0);
    if ((left < 0 && blocks.length > 0) || ++turns > HISTORY_TURNS) break;
    blocks.push(messages);
  }
  return { messages: blocks.reverse().flat(), pointedAt: [...pointedAt] };
}
