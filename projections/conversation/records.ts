import type { DataOf, FileState } from '#domain/events/index.ts';
import type { partnerEvents } from '#domain/events/index.ts';
import type { RunId } from '#domain/ids.ts';
import type { ChangeRecord, KeptCopy, RecordStep } from './views.ts';

type Done = DataOf<typeof partnerEvents.FileChanged>;
type Planned = DataOf<typeof partnerEvents.FileChangePlanned>;

/**
 * Folds one `FileChanged` of a run into its records (design §4): a change of a path that a record
 * ended at continues that record; a rename carries it along; A → B → A leaves none, but the raw steps
 * stay in the audit.
 */
export function recordChange(records: readonly ChangeRecord[], done: Done, run: RunId | null, at: string | null = null): readonly ChangeRecord[] {
  if (done.reverts) return applyRevert(records, done, at);
  const step = stepOf(done);
  const index = records.findLastIndex((r) => r.path === done.path && r.after !== null && done.op !== 'copy' && done.op !== 'create');
  const target = done.op === 'move' || done.op === 'rename' || done.op === 'copy' ? (done.to ?? done.path) : done.path;
  const kept = copiesOf(done, at);
  const old = index >= 0 ? records[index] : records.find((r) => r.path === done.path && r.after === null && r.before !== null && done.op !== 'copy');
  if (!old) {
    const fresh: ChangeRecord = {
      record: done.change,
      run,
      kind: done.kind,
      from: done.op === 'copy' ? target : done.path,
      path: target,
      before: done.op === 'copy' ? null : done.before,
      after: done.after,
      added: done.added ?? null,
      removed: done.removed ?? null,
      op: 'changed',
      state: 'live',
      kept,
      trashed: done.trashed ?? null,
      steps: [step],
      reverts: [],
    };
    return [...records.filter((r) => r.record !== done.change), { ...fresh, op: opOf(fresh) }];
  }
  const next: ChangeRecord = {
    ...old,
    path: target,
    after: done.after,
    added: done.added ?? (done.op === 'move' || done.op === 'rename' ? old.added : null),
    removed: done.removed ?? (done.op === 'move' || done.op === 'rename' ? old.removed : null),
    kept: [...old.kept, ...kept],
    trashed: done.trashed ?? null,
    steps: [...old.steps, step],
  };
  return records.map((r) => (r === old ? { ...next, op: opOf(next) } : r));
}

/** The records worth showing: net changes only. A record that a crash left open is always shown. */
export function netRecords(records: readonly ChangeRecord[]): readonly ChangeRecord[] {
  return records.filter((r) => r.state === 'unsettled' || r.state === 'unknown' || r.from !== r.path || !sameState(r.before, r.after));
}

/** A crash left this intent without an outcome. */
export function recordUnsettled(records: readonly ChangeRecord[], planned: Planned, run: RunId | null, state: 'unsettled' | 'unknown'): readonly ChangeRecord[] {
  const done = recordChange(records, planned, run);
  return done.map((r) => (r.steps.some((s) => s.change === planned.change) ? { ...r, state } : r));
}

function copiesOf(done: Done, at: string | null): readonly KeptCopy[] {
  return [done.overtaken, done.kept].flatMap((state) => (state ? [{ at, state, back: false }] : []));
}

function applyRevert(records: readonly ChangeRecord[], done: Done, at: string | null): readonly ChangeRecord[] {
  const target = done.reverts;
  if (!target) return records;
  const seen = (k: KeptCopy): KeptCopy => ({ ...k, back: k.state.hash === (done.after?.hash ?? null) });
  return records.map((r) =>
    r.record === target.record
      ? { ...r, state: target.undo ? ('live' as const) : ('reverted' as const), reverts: target.undo ? [] : [...r.reverts, stepOf(done)], kept: [...r.kept, ...copiesOf(done, at)].map(seen) }
      : r,
  );
}

function stepOf(done: Done): RecordStep {
  return { change: done.change, op: done.op, path: done.path, to: done.to ?? null, before: done.before, after: done.after, trashed: done.trashed ?? null };
}

function opOf(r: ChangeRecord): ChangeRecord['op'] {
  if (r.before === null) return 'created';
  if (r.after === null) return 'deleted';
  return r.from !== r.path && sameState(r.before, r.after) ? 'moved' : 'changed';
}

function sameState(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.kind === b.kind && a.hash === b.hash && a.size === b.size && a.mode === b.mode;
}
