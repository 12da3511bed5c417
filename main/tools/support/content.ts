import type { ChangeOp, FileState, Risk, Shown } from '#domain/events/index.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import { decodeEditable, encodeText, type TextFile } from '#domain/text/encoding.ts';
import { leaveBackup } from '#main/changes/backup.ts';
import { countBetween } from '#main/changes/lines.ts';
import type { Resolved } from '#main/gate/types.ts';
import type { Prepared, ToolContext } from '../types.ts';
import { finish, judgeEnds, missingFolders } from './changing.ts';
import { impossible } from './outcomes.ts';
import { readHead } from './reading.ts';

/** Largest text that is edited; beyond it a diff says nothing to anybody. */
export const EDIT_BYTES = 16 * 1024 * 1024;

interface ContentCall {
  readonly op: ChangeOp;
  readonly path: string;
  readonly risk: Risk;
  readonly shown: Shown;
  readonly said: string;
  /** The new text from the old one. */
  readonly change: (file: TextFile) => Result<string>;
}

/**
 * A change of an existing text file (WA-WRITE-01…05): UTF-8 only, mark and line ends kept, refused when
 * it moved on since this run read it (case 29). Both contents become blobs before the question, so that
 * the card can show the difference and exactly that is what runs.
 */
export async function prepareContent(context: ToolContext, call: ContentCall): Promise<Prepared> {
  const ends = [{ op: call.op, path: call.path }];
  const judged = await judgeEnds(context, ends);
  if ('refused' in judged) return judged.refused;
  const target = judged.targets[0]!;
  if (target.kind === 'absent') return impossible({ code: 'change.missing', params: { path: target.shownPath } });
  if (target.kind === 'folder') return impossible({ code: 'tool.folder', params: { path: target.shownPath } });
  const old = await readText(context, target);
  if (!old.ok) return impossible(old.error);
  const { bytes, file, state } = old.value;
  const changed = call.change(file);
  if (!changed.ok) return impossible({ ...changed.error, params: { ...changed.error.params, path: target.shownPath } });
  const content = encodeText(changed.value, file.bom);
  if (!content.ok) return impossible(content.error);
  if (content.value.length === bytes.length && content.value.every((byte, i) => byte === bytes[i])) return impossible({ code: 'edit.same', params: { path: target.shownPath } });
  const kept = await keepBoth(context, bytes, content.value, state.mode);
  if (!kept.ok) return impossible(kept.error);
  const counts = countBetween(bytes, content.value);
  return finish(context, ends, judged.targets, judged.verdicts, {
    op: call.op, kind: 'file', path: target.path, content: content.value, expected: state, ...kept.value, ...counts, risk: call.risk, shown: call.shown,
    said: () => `${call.said} ${target.shownPath}${counts.added === undefined ? '' : ` (+${counts.added} −${counts.removed} lines)`}.`,
    ...(context.gateContext.caller === 'local' && target.address !== null ? { prelude: () => backup(context, target, bytes) } : {}),
  });
}

/** A new text file. Missing folders above it are made as changes of their own. Codes: change.exists. */
export async function prepareCreate(context: ToolContext, path: string, text: string, shown: Shown): Promise<Prepared> {
  const ends = [{ op: 'create' as const, path }];
  const judged = await judgeEnds(context, ends);
  if ('refused' in judged) return judged.refused;
  const target = judged.targets[0]!;
  if (target.exists) return impossible({ code: 'change.exists', params: { path: target.shownPath } });
  const folders = await missingFolders(context, target.path);
  if (!folders.ok) return impossible(folders.error);
  const content = encodeText(text, false);
  if (!content.ok) return impossible(content.error);
  const stored = await context.blobs.put(content.value);
  if (!stored.ok) return impossible(stored.error);
  const after: FileState = { kind: 'file', hash: stored.value, size: content.value.length, mode: 0o644, blob: true };
  return finish(context, ends, judged.targets, judged.verdicts, {
    op: 'create', kind: 'file', path: target.path, content: content.value, expected: null, before: null, after, ...countBetween(null, content.value), folders: folders.value, risk: 'medium', shown,
    said: () => `Created ${target.shownPath} (${content.value.length} bytes).`,
  });
}

async function readText(context: ToolContext, target: Resolved): Promise<Result<{ readonly bytes: Uint8Array; readonly file: TextFile; readonly state: FileState }>> {
  const read = await readHead(context.fs, target.path, EDIT_BYTES);
  if (!read.ok) return read;
  if (read.value.size > EDIT_BYTES) return fail('tool.tooLarge', { path: target.shownPath, size: read.value.size });
  const seen = context.seen.get(target.path);
  if (seen !== undefined && seen !== read.value.hash) return fail('change.stale', { path: target.shownPath });
  const file = decodeEditable(read.value.head);
  if (!file.ok) return fail(file.error.code, { path: target.shownPath });
  const stat = await context.changes.inspect(target.path);
  if (!stat.ok) return stat;
  if (stat.value?.hash !== read.value.hash) return fail('change.stale', { path: target.shownPath });
  return ok({ bytes: read.value.head, file: file.value, state: stat.value });
}

async function keepBoth(context: ToolContext, before: Uint8Array, after: Uint8Array, mode: number): Promise<Result<{ readonly before: FileState; readonly after: FileState }>> {
  const old = await context.blobs.put(before);
  if (!old.ok) return old;
  const now = await context.blobs.put(after);
  if (!now.ok) return now;
  return ok({ before: { kind: 'file', hash: old.value, size: before.length, mode, blob: true }, after: { kind: 'file', hash: now.value, size: after.length, mode, blob: true } });
}

function backup(context: ToolContext, target: Resolved, bytes: Uint8Array): Promise<Result<string>> {
  const root = target.path.slice(0, target.path.length - target.shownPath.length - 1);
  return leaveBackup(context.fs, root, target.shownPath, bytes, context.clock.now());
}
