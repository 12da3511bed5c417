import { dirname } from 'node:path';
import { draft, partnerEvents, type Change, type EventDraft, type PartnerEvent } from '#domain/events/index.ts';
import type { ChangeId, RunId } from '#domain/ids.ts';
import type { PartnerCore } from './core.ts';

/** Intents without an outcome among some events: what a crash left open. */
export function openIntents(events: readonly PartnerEvent[]): { readonly change: Change; readonly run: RunId | null }[] {
  const open = new Map<ChangeId, { change: Change; run: RunId | null }>();
  for (const e of events) {
    if (e.data === null) continue;
    if (e.type === 'FileChangePlanned') open.set(e.data.change, { change: e.data, run: e.run });
    if (e.type === 'FileChanged' || e.type === 'FileChangeFailed' || e.type === 'FileChangeSettled') open.delete(e.data.change);
  }
  return [...open.values()];
}

const CHANGES = new Set<string>(['FileChangePlanned', 'FileChanged', 'FileChangeFailed', 'FileChangeSettled']);

/**
 * After a crash: compares each open intent with the disk and records what is certain (design §4).
 * `applied` gets its `FileChanged` too, so that it shows and reverts like any other change; `unknown`
 * keeps its before-blob and is never settled by guessing. Then the run itself is marked interrupted.
 */
export async function settleAfterCrash(partner: PartnerCore): Promise<void> {
  if (partner.log.mode !== 'open') return;
  const tail = await partner.history.tail();
  const intents = openIntents(tail);
  if (intents.length > 0) {
    const outcomes = new Map((await partner.changes.settle(intents.map((i) => i.change))).map((o) => [o.change, o.outcome]));
    const facts: EventDraft[] = [];
    for (const { change, run } of intents) {
      const outcome = outcomes.get(change.change) ?? 'unknown';
      const by = { actor: 'host' as const, run };
      if (outcome === 'applied') facts.push(draft(partnerEvents.FileChanged, change, by));
      facts.push(draft(partnerEvents.FileChangeSettled, { change: change.change, outcome }, by));
    }
    await partner.commit(facts);
  }
  // A change whose outcome is told may still have left a name of ours: only a run that ended after it is sure to have none.
  if (intents.length > 0 || partner.state.active || CHANGES.has(tail.at(-1)?.type ?? '')) await sweep(partner, tail);
  await partner.endOrphan();
}

/** Takes our own temp and keep names out of the folders that the last session worked in; a save caught in one is kept and named. */
async function sweep(partner: PartnerCore, tail: readonly PartnerEvent[]): Promise<void> {
  const planned = tail.flatMap((e) => (e.type === 'FileChangePlanned' && e.data ? [e.data] : []));
  const folders = new Set(planned.flatMap((c) => [dirname(c.path), ...(c.to === undefined ? [] : [dirname(c.to)])]));
  const swept = await partner.changes.sweepLeftovers([...folders], planned);
  for (const { path, state, change } of swept.kept) if (state.hash) partner.deps.kept(path, state.hash, state.size, 'overtaken', change);
}
