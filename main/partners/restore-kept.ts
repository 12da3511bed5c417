import type { FileState } from '#domain/events/index.ts';
import type { ChangeId, Hash, RunId } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { RevertReport } from '#main/api/views.ts';
import type { KeptBytes } from '#projections/app/app.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import type { PartnerCore } from './core.ts';
import { revert } from './revert.ts';

/**
 * Puts a save of the person that a change overtook, or a revert replaced, back in its place. It is
 * recorded as a revert of that record: what stands now is kept first, and undoing brings it back.
 *
 * @param noted saves that only the app log names, since a kill came before the change was recorded
 * Codes: partner.readOnly, revert.running, revert.noRun, revert.noRecord, revert.noBytes and those of the change protocol.
 */
export async function restoreKept(partner: PartnerCore, order: { readonly run: RunId; readonly record: ChangeId; readonly blob: Hash }, noted: readonly KeptBytes[]): Promise<Result<RevertReport, Failure>> {
  if (partner.log.mode !== 'open') return fail('partner.readOnly');
  if (partner.state.active) return fail('revert.running');
  const turn = await partner.history.turn(order.run);
  if (!turn) return fail('revert.noRun');
  const record = turn.records.find((r) => r.record === order.record);
  if (!record) return fail('revert.noRecord');
  const copy = copyOf(record, order.blob, noted);
  if (!copy) return fail('revert.noBytes');
  const now = await partner.changes.inspect(record.path);
  if (!now.ok) return now;
  const last = record.reverts.at(-1);
  const effect = now.value === null ? ('recreate' as const) : ('restore' as const);
  if (now.value?.hash === copy.hash) return ok({ items: [{ record: record.record, path: record.path, effect: 'nothing', state: 'done', failure: null }], changed: 0, conflicts: 0 });
  // The revert that replaced it is the last thing that happened: undoing that one is the shortest way back.
  if (record.state === 'reverted' && last?.before?.hash === copy.hash && last.after?.hash === now.value?.hash) return revert(partner, { run: order.run, record: order.record, undo: true });
  const done = await partner.changes.apply({
    run: null, call: null, op: 'revert', path: record.path, address: null, expected: now.value, force: false, restore: copy,
    reverts: { origin: turn.origin, seq: turn.seq, run: turn.run, record: record.record, undo: false },
  });
  return done.ok ? ok({ items: [{ record: record.record, path: record.path, effect, state: 'done', failure: null }], changed: 1, conflicts: 0 }) : done;
}

function copyOf(record: ChangeRecord, blob: Hash, noted: readonly KeptBytes[]): FileState | null {
  const own = record.kept.find((k) => k.state.hash === blob)?.state;
  if (own) return own;
  const other = noted.find((k) => k.path === record.path && k.blob === blob && (k.change === null || record.steps.some((s) => s.change === k.change)));
  return other ? { kind: 'file', hash: blob, size: other.size, mode: record.after?.mode ?? record.before?.mode ?? 0o644, blob: true } : null;
}
