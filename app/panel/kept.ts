import type { AppView } from '#main/api/views.ts';
import type { Hash } from '#domain/ids.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';

/** A save of the person that lies aside and can be looked at and put back. */
export interface KeptSave {
  readonly blob: Hash;
  /** ISO 8601; null where nothing says when. */
  readonly at: string | null;
}

/**
 * The saves that a record's change or its revert put aside, oldest first. A kill can come before the
 * change itself is recorded: those are known to the app log alone, by their path.
 */
export function keptSaves(record: ChangeRecord, app: Pick<AppView, 'kept'>): readonly KeptSave[] {
  const own = record.kept.flatMap((k) => (k.state.hash ? [{ blob: k.state.hash, at: k.at, back: k.back }] : []));
  const stands = record.reverts.at(-1)?.after?.hash;
  const noted = app.kept.filter((k) => k.path === record.path && (k.change === null || record.steps.some((s) => s.change === k.change)) && k.blob !== stands && !own.some((o) => o.blob === k.blob));
  return [...own.filter((k) => !k.back), ...noted].map(({ blob, at }) => ({ blob, at }));
}

/** The bytes that a record's change, or its revert, left in place; null: no file. */
export function standing(record: ChangeRecord): Hash | null {
  const state = record.state === 'reverted' ? record.reverts.at(-1)?.after : record.after;
  return state?.hash ?? null;
}
