import { draft, partnerEvents, type Plan, type Shown } from '#domain/events/index.ts';
import type { CallId, Hash } from '#domain/ids.ts';
import type { ModelCall } from '#main/model/types.ts';
import { newId } from '#main/ports/random.ts';
import type { Prepared, Tool, ToolContext, ToolOutcome } from '#main/tools/types.ts';
import { LogRefused, throwIfRefused } from './log-refused.ts';
import { toLongText } from './long-text.ts';
import type { RunDeps, RunHost, RunStart } from './types.ts';

/** A call as read from a reply: our own id (providers repeat theirs), parsed arguments or why not. */
export interface ReadCall {
  readonly call: CallId;
  readonly name: string;
  readonly rawArgs: string;
  readonly shown: Shown;
  readonly tool: Tool | null;
  readonly args: unknown;
  readonly problem: ToolOutcome | null;
}

/** Calls of one reply that are run: what a person can look through on one card. */
export const MAX_CALLS = 50;

/** Reads the calls of a reply without doing anything. Wrong names and arguments become failed results, never throws. */
export function readCalls(deps: Pick<RunDeps, 'tools' | 'random'>, calls: readonly ModelCall[]): readonly ReadCall[] {
  return calls.map((c, i): ReadCall => {
    const base = { call: newId(deps.random, 'call'), name: c.name, rawArgs: c.args };
    const tool = deps.tools.get(c.name) ?? null;
    const unknown: Shown = { key: 'tool.unknown', params: {} };
    if (!tool) {
      const names = [...deps.tools.keys()].join(', ');
      return { ...base, shown: unknown, tool, args: null, problem: { outcome: 'failed', code: 'tool.unknown', text: `There is no tool named ${JSON.stringify(c.name)}. Tools: ${names}.` } };
    }
    if (i >= MAX_CALLS) {
      return { ...base, shown: unknown, tool, args: null, problem: { outcome: 'failed', code: 'tool.tooMany', text: `Only the first ${MAX_CALLS} calls of a reply are run. Call this one again in a later reply.` } };
    }
    let raw: unknown;
    try {
      raw = c.args.trim() === '' ? {} : JSON.parse(c.args);
    } catch (cause) {
      return { ...base, shown: unknown, tool, args: null, problem: { outcome: 'failed', code: 'tool.badJson', text: `The arguments are not valid JSON: ${String(cause)}. Call the tool again with complete JSON.` } };
    }
    const parsed = tool.parse(raw);
    if (!parsed.ok) return { ...base, shown: unknown, tool, args: null, problem: { outcome: 'failed', code: parsed.error.code, text: `Wrong arguments: ${parsed.error.detail ?? parsed.error.code}` } };
    return { ...base, shown: tool.shown(parsed.value), tool, args: parsed.value, problem: null };
  });
}

/**
 * Runs the calls of one reply in order. Those that need a yes are put on one card first; a rejection or
 * guidance on any means that nothing of the batch that changes anything runs (WB-BLOCKER-001-AC2).
 */
export async function runCalls(
  deps: RunDeps, host: RunHost, start: RunStart, calls: readonly ReadCall[],
  memory: { readonly seen: Map<string, Hash | null>; readonly baselines: Map<string, Hash | null> },
): Promise<'done' | 'stopped'> {
  const contextOf = (call: CallId): ToolContext => ({
    run: start.run, call, gate: deps.gate, fs: deps.fs, clock: deps.clock, blobs: deps.blobs, changes: deps.changes, trash: deps.trash, undo: deps.undo,
    gateContext: { caller: start.model.provider === 'local' ? 'local' : 'model', permission: start.permission, addresses: start.addresses, pointedAt: start.pointedAt },
    ...memory,
  });
  const returned = async (call: CallId, o: ToolOutcome | { outcome: 'rejected'; text: string; code?: string }) => {
    const text = await toLongText(deps.blobs, o.text);
    if (!text.ok) throw new LogRefused(text.error.code);
    const images = 'images' in o && o.images?.length ? { images: [...o.images] } : {};
    const fact = draft(partnerEvents.ToolReturned, { call, outcome: o.outcome, ...(o.code ? { code: o.code } : {}), text: text.value, ...images }, { actor: 'host', run: start.run });
    await host.commit([fact]);
  };
  const cancelled = (why: string): ToolOutcome => ({ outcome: 'cancelled', text: why });

  const held: { readonly call: ReadCall; readonly prepared: Prepared | null }[] = [];
  const plans: Plan[] = [];
  for (const call of calls) {
    if (call.problem || !call.tool) {
      await returned(call.call, call.problem ?? cancelled('not run'));
      continue;
    }
    if (start.signal.aborted) {
      await returned(call.call, cancelled('The run was stopped before this ran.'));
      continue;
    }
    // What comes after a question and changes something waits with it: order is part of what was asked.
    if (plans.length > 0 && call.tool.changes) {
      const prepared = await prepare(deps, call, contextOf(call.call));
      if (prepared.go === 'ask') plans.push(prepared.plan);
      if (prepared.go === 'refuse') await returned(call.call, prepared.outcome);
      else held.push({ call, prepared: prepared.go === 'ask' ? prepared : null });
      continue;
    }
    const prepared = await prepare(deps, call, contextOf(call.call));
    if (prepared.go === 'ask') {
      plans.push(prepared.plan);
      held.push({ call, prepared });
    } else await returned(call.call, prepared.go === 'refuse' ? prepared.outcome : await execute(deps, call, prepared.run, start.signal));
  }
  if (plans.length === 0) return start.signal.aborted ? 'stopped' : 'done';

  // A stop that came while the plans were made is final: after it nothing may be asked any more.
  const decisions = start.signal.aborted ? null : await ask(deps, host, start, plans);
  if (!decisions) {
    throwIfRefused(start.signal);
    for (const h of held) await returned(h.call.call, cancelled('The run was stopped; this was not approved and did not run.'));
    return 'stopped';
  }
  const refused = [...decisions.values()].some((d) => d.decision !== 'approve');
  for (const { call, prepared } of held) {
    const d = decisions.get(call.call);
    if (refused) {
      if (d?.decision === 'reject') await returned(call.call, { outcome: 'rejected', text: 'The person rejected this. It did not run. Do not try it again unless asked.' });
      else if (d?.decision === 'guide') await returned(call.call, { outcome: 'rejected', code: 'approval.guided', text: `It did not run. The person says how to do it instead: ${d.guidance ?? ''}` });
      else await returned(call.call, cancelled('Not run: another change of the same batch was rejected or guided.'));
      continue;
    }
    if (start.signal.aborted) {
      await returned(call.call, cancelled('The run was stopped before this ran.'));
      continue;
    }
    const ready = prepared ?? (await prepare(deps, call, contextOf(call.call)));
    if (ready.go === 'refuse') await returned(call.call, ready.outcome);
    else if (ready.go === 'ask' && !prepared) await returned(call.call, cancelled('Not run: after the earlier changes it would need its own approval. Call it again.'));
    else await returned(call.call, await execute(deps, call, ready.run, start.signal));
  }
  return start.signal.aborted ? 'stopped' : 'done';
}

async function ask(deps: RunDeps, host: RunHost, start: RunStart, plans: readonly Plan[]): ReturnType<RunHost['decision']> {
  const batch = newId(deps.random, 'batch');
  // The waiter stands before the question is public: an answer can never come too early.
  const answer = host.decision(batch);
  await host.commit([draft(partnerEvents.ApprovalAsked, { batch, plans: [...plans] }, { actor: 'host', run: start.run })]);
  return answer;
}

async function prepare(deps: RunDeps, call: ReadCall, context: ToolContext): Promise<Prepared> {
  try {
    if (!call.tool) throw new Error('no tool');
    return await call.tool.prepare(call.args, context);
  } catch (cause) {
    deps.report(`prepare ${call.name}`, cause);
    return { go: 'refuse', outcome: crashed(cause) };
  }
}

async function execute(deps: RunDeps, call: ReadCall, run: (signal: AbortSignal) => Promise<ToolOutcome>, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    const outcome = await run(signal);
    // A look that was cut short found only part: it must not stand in the log as the whole.
    return signal.aborted && !call.tool?.changes ? { outcome: 'cancelled', text: 'The run was stopped before this had finished.' } : outcome;
  } catch (cause) {
    if (cause instanceof LogRefused) throw cause;
    deps.report('tool', cause);
    return crashed(cause);
  }
}

function crashed(cause: unknown): ToolOutcome {
  return { outcome: 'failed', code: 'tool.crashed', text: `The tool itself failed: ${cause instanceof Error ? cause.message : String(cause)}. Whether anything changed is recorded in the change list.` };
}
