import type { WordKey } from '#domain/words/words.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';

/** The tag beside a record, or null for an ordinary change that has its counts. */
export function recordTag(record: ChangeRecord): { readonly word: WordKey; readonly kind: '' | 'add' | 'del' | 'warn' } | null {
  if (record.state === 'reverted') return { word: record.op === 'created' && !record.reverts.at(-1)?.after ? 'files.deleted' : 'files.reverted', kind: '' };
  if (record.state === 'unsettled' || record.state === 'unknown') return { word: 'files.unsettled', kind: 'warn' };
  if (record.op === 'created') return { word: 'files.created', kind: 'add' };
  if (record.op === 'deleted') return { word: 'files.deleted', kind: 'del' };
  if (record.op === 'moved') return { word: 'files.moved', kind: '' };
  return record.added === null && record.removed === null ? { word: 'files.changed', kind: '' } : null;
}
