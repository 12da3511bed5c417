import type { RunId, ChangeId } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { RevertReport } from '#main/api/views.ts';
import { netRecords } from '#projections/conversation/records.ts';
import type { ChangeRecord, TurnView } from '#projections/conversation/views.ts';
import { planRevert, planUndo, type RevertStep } from '#projections/revert/plan.ts';
import type { PartnerCore } from './core.ts';

export interface RevertOrder {
  readonly run: RunId;
  readonly record?: ChangeId;
  readonly undo?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

type Item = RevertReport['items'][number];

/**
 * Takes back one record of a run, or all of them newest first, through the change protocol
 * (WB-APPLY-003/004). Every step is looked at before anything is touched: a later change by anyone is
 * reported as a conflict and nothing of that record happens without `force`, which keeps the present
 * bytes first. A record that fails stops only itself.
 */
export async function revert(partner: PartnerCore, order: RevertOrder): Promise<Result<RevertReport, Failure>> {
  if (partner.log.mode !== 'open') return fail('partner.readOnly');
  if (partner.state.active?.run === order.run) return fail('revert.running');
  const turn = await partner.history.turn(order.run);
  if (!turn) return fail('revert.noRun');
  const all = netRecords(turn.records);
  const chosen = order.record ? all.filter((r) => r.record === order.record) : [...all].reverse().filter((r) => (r.state === 'reverted') === (order.undo ?? false));
  if (chosen.length === 0) return fail('revert.noRecord');
  const items: Item[] = [];
  for (const record of chosen) items.push(await revertRecord(partner, turn, record, order));
  return ok({ items, changed: items.filter((i) => i.state === 'planned' || i.state === 'done').length, conflicts: items.filter((i) => i.state === 'conflict').length });
}

async function revertRecord(partner: PartnerCore, turn: TurnView, record: ChangeRecord, order: RevertOrder): Promise<Item> {
  const steps = order.undo ? planUndo(record) : planRevert(record);
  const base = { record: record.record, path: record.path, effect: 'nothing' as Item['effect'] };
  if (typeof steps === 'string') return { ...base, state: 'failed', failure: { code: steps } };
  const [first] = steps;
  if (!first) return { ...base, state: 'done', failure: null };
  const item = { ...base, path: first.path, effect: first.effect };
  const conflict = await conflictOf(partner, steps);
  if (conflict && conflict.code !== 'change.stale') return { ...item, state: 'failed', failure: conflict };
  if (conflict && !order.force) return { ...item, state: 'conflict', failure: conflict };
  if (order.dryRun) return { ...item, state: 'planned', failure: null };
  for (const step of steps) {
    const done = await partner.changes.apply({
      run: null, call: null, op: 'revert', path: step.path, address: null, expected: step.expected, force: order.force ?? false,
      reverts: { origin: turn.origin, seq: turn.seq, run: turn.run, record: record.record, undo: order.undo ?? false },
      ...(step.to !== undefined ? { to: step.to } : {}),
      ...(step.restore !== undefined ? { restore: step.restore } : {}),
      ...(step.untrash ? { untrash: step.untrash } : {}),
    });
    if (!done.ok) return { ...item, state: done.error.code === 'change.stale' ? 'conflict' : 'failed', failure: done.error };
  }
  return { ...item, state: 'done', failure: null };
}

/** The first step whose file is not what the record left there. Later steps of the same record build on earlier ones. */
async function conflictOf(partner: PartnerCore, steps: readonly RevertStep[]): Promise<Failure | null> {
  const [first] = steps;
  if (!first) return null;
  const now = await partner.changes.inspect(first.path);
  if (!now.ok) return now.error;
  const same = now.value === null || first.expected === null ? now.value === first.expected : now.value.kind === first.expected.kind && (now.value.kind === 'folder' || now.value.hash === first.expected.hash);
  return same ? null : { code: 'change.stale', params: { path: first.path } };
}
