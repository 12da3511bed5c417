import type { FileState } from '#domain/events/index.ts';
import type { ChangeRecord, RecordStep } from '../conversation/views.ts';

/**
 * One step of taking something back, for the change protocol. `expected` is what must be on disk at
 * `path` now; anything else is a conflict that needs a second yes (design §4).
 */
export interface RevertStep {
  readonly effect: 'restore' | 'remove' | 'recreate' | 'moveBack';
  readonly path: string;
  readonly to?: string;
  readonly restore?: FileState | null;
  readonly untrash?: { readonly file: string; readonly info: string | null };
  readonly expected: FileState | null;
}

/** Why a record cannot be taken back at all. Codes have texts in the catalogue. */
export type RevertRefusal = 'revert.already' | 'revert.notReverted' | 'revert.unknown' | 'revert.noBytes';

/**
 * The steps that bring a record's file back to before its run: the net change, not the raw ones, so
 * that forty edits come back in one (design §4). A moved file is moved back first.
 */
export function planRevert(record: ChangeRecord): readonly RevertStep[] | RevertRefusal {
  if (record.state === 'reverted') return 'revert.already';
  if (record.state === 'unsettled') return 'revert.unknown';
  const steps: RevertStep[] = [];
  if (record.after === null) {
    // Deleted in this run: the bytes come back where they were before it.
    if (record.before === null) return [];
    return bringBack(record.from, record.before, record.trashed, false);
  }
  if (record.before === null) return [{ effect: 'remove', path: record.path, restore: null, expected: record.after }];
  if (record.from !== record.path) steps.push({ effect: 'moveBack', path: record.path, to: record.from, expected: record.after });
  if (record.kind === 'file' && record.before.hash !== record.after.hash) {
    if (!record.before.blob) return 'revert.noBytes';
    steps.push({ effect: 'restore', path: record.from, restore: record.before, expected: record.after });
  }
  return steps;
}

/** The steps that take the revert of a record back: each of its raw changes inverted, newest first. */
export function planUndo(record: ChangeRecord): readonly RevertStep[] | RevertRefusal {
  if (record.state !== 'reverted' || record.reverts.length === 0) return 'revert.notReverted';
  const steps: RevertStep[] = [];
  for (const raw of [...record.reverts].reverse()) {
    const inverse = invert(raw);
    if (typeof inverse === 'string') return inverse;
    steps.push(...inverse);
  }
  return steps;
}

function invert(raw: RecordStep): readonly RevertStep[] | RevertRefusal {
  if (raw.to !== null) return [{ effect: 'moveBack', path: raw.to, to: raw.path, expected: raw.after }];
  if (raw.after === null) return raw.before === null ? [] : bringBack(raw.path, raw.before, raw.trashed, true);
  if (raw.before === null) return [{ effect: 'remove', path: raw.path, restore: null, expected: raw.after }];
  if (!raw.before.blob) return 'revert.noBytes';
  return [{ effect: 'restore', path: raw.path, restore: raw.before, expected: raw.after }];
}

/** `wasEmpty`: a folder that a revert removed held nothing, so making it again is enough. */
function bringBack(path: string, state: FileState, trashed: RecordStep['trashed'], wasEmpty: boolean): readonly RevertStep[] | RevertRefusal {
  // Out of the trash first: the same file with its times and rights, and no double left behind. The blob is the fallback.
  if (trashed) return [{ effect: 'recreate', path, untrash: trashed, restore: state, expected: null }];
  if (state.blob || (state.kind === 'folder' && wasEmpty)) return [{ effect: 'recreate', path, restore: state, expected: null }];
  return 'revert.noBytes';
}
