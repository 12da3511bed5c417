import type { ChangeOp, FileState, Plan, Risk, Shown } from '#domain/events/index.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { AppliedChange, ChangeRequest } from '#main/changes/types.ts';
import { isStub } from './reading.ts';
import type { GateOp, Resolved, Verdict } from '#main/gate/types.ts';
import type { Prepared, ToolContext, ToolOutcome } from '../types.ts';
import { CANCELLED, failedOutcome, refusal } from './outcomes.ts';

/** One path of a call and the deed that the gate judges it for. */
export interface End {
  readonly op: GateOp;
  readonly path: string;
}

/** What a change tool found out before anything is touched. */
export interface Draft {
  readonly op: ChangeOp;
  readonly kind: 'file' | 'folder';
  readonly path: string;
  readonly to?: string;
  readonly content?: Uint8Array;
  /** What was read and is approved; the change protocol refuses anything else. */
  readonly expected: FileState | null;
  readonly before: FileState | null;
  readonly after: FileState | null;
  readonly added?: number;
  readonly removed?: number;
  readonly risk: Risk;
  readonly warnings?: readonly Shown[];
  readonly shown: Shown;
  /** Folders that must be made first, outermost first. */
  readonly folders?: readonly string[];
  /** Runs right before the change, for the local assistant's copy. */
  readonly prelude?: () => Promise<Result<unknown>>;
  /** What the model is told when it worked. */
  said(done: AppliedChange): string;
}

/** Asks the gate about both ends; the first refusal wins. */
export async function judgeEnds(context: ToolContext, ends: readonly End[]): Promise<{ readonly refused: Prepared } | { readonly targets: readonly Resolved[]; readonly verdicts: readonly Verdict[] }> {
  const verdicts: Verdict[] = [];
  const targets: Resolved[] = [];
  for (const end of ends) {
    const verdict = await context.gate.judge(end.op, end.path, context.gateContext);
    if (verdict.verdict === 'refuse') return { refused: refusal(verdict) };
    verdicts.push(verdict);
    targets.push(verdict.target);
  }
  return { targets, verdicts };
}

/** Turns a draft into a call that runs at once, or one that asks with a full plan on its card (WA-PLAN-01…03). */
export function finish(context: ToolContext, ends: readonly End[], targets: readonly Resolved[], verdicts: readonly Verdict[], draft: Draft): Prepared {
  const run = (signal: AbortSignal) => carryOut(context, ends, targets, draft, signal);
  if (verdicts.every((one) => one.verdict === 'do')) return { go: 'do', run };
  const strong = verdicts.some((one) => one.verdict === 'askStrongly');
  return { go: 'ask', plan: planOf(context, targets, draft, strong), run };
}

function planOf(context: ToolContext, targets: readonly Resolved[], draft: Draft, strong: boolean): Plan {
  const warnings = [...(targets.some((one) => one.zone === 'outside') ? [{ key: 'warn.outside', params: {} }] : []), ...(draft.warnings ?? [])];
  return {
    call: context.call, op: draft.op, path: draft.path, ...(draft.to === undefined ? {} : { to: draft.to }), kind: draft.kind,
    address: targets[0]!.address?.address ?? null, before: draft.before, after: draft.after,
    ...(draft.added === undefined ? {} : { added: draft.added }), ...(draft.removed === undefined ? {} : { removed: draft.removed }),
    risk: draft.risk, strong, warnings, shown: draft.shown,
  };
}

/** Runs what was prepared: same places, same bytes, or nothing. */
async function carryOut(context: ToolContext, ends: readonly End[], approved: readonly Resolved[], draft: Draft, signal: AbortSignal): Promise<ToolOutcome> {
  if (signal.aborted) return CANCELLED;
  for (const [i, end] of ends.entries()) {
    const again = await context.gate.judge(end.op, end.path, context.gateContext);
    if (again.verdict === 'refuse') return failedOutcome(again, 'refused');
    if (again.target.path !== approved[i]!.path) return failedOutcome({ code: 'gate.moved', params: { path: end.path } }, 'refused');
  }
  const address = approved[0]!.address?.address ?? null;
  const base = { run: context.run, call: context.call, address } as const;
  const made: string[] = [];
  const undo = async () => {
    for (const folder of made.reverse()) await context.changes.apply({ ...base, op: 'revert', path: folder, restore: null, expected: { kind: 'folder', hash: null, size: 0, mode: 0, blob: false } });
  };
  for (const folder of draft.folders ?? []) {
    const done = await context.changes.apply({ ...base, op: 'mkdir', path: folder, expected: null });
    if (!done.ok && done.error.code !== 'change.exists') {
      await undo();
      return failedOutcome(done.error);
    }
    if (done.ok) made.push(folder);
  }
  const before = draft.prelude === undefined ? ok() : await draft.prelude();
  if (!before.ok) {
    await undo();
    return failedOutcome(before.error);
  }
  const request: ChangeRequest = {
    ...base, op: draft.op, path: draft.path, ...(draft.to === undefined ? {} : { to: draft.to }), ...(draft.content === undefined ? {} : { content: draft.content }), expected: draft.expected,
    ...(context.baselines.has(draft.path) ? { baseline: context.baselines.get(draft.path)! } : {}),
  };
  const done = await context.changes.apply(request);
  if (!done.ok) {
    await undo();
    return failedOutcome(done.error);
  }
  remember(context, draft, done.value);
  const overtaken = done.value.overtaken ? ' Somebody saved the file at the same moment; that version is kept and offered to the person.' : '';
  return { outcome: 'ok', text: draft.said(done.value) + overtaken, data: { change: done.value.change.change, path: draft.to ?? draft.path, before: done.value.change.before, after: done.value.change.after } };
}

/** Keeps what this run knows about each path: what it last wrote, and what stood there first. */
function remember(context: ToolContext, draft: Draft, done: AppliedChange): void {
  const { seen, baselines } = context;
  const { before, after } = done.change;
  if (draft.op === 'move' || draft.op === 'rename') {
    for (const map of [seen, baselines]) {
      const known = map.get(draft.path);
      map.delete(draft.path);
      if (known !== undefined) map.set(draft.to!, known);
    }
    return;
  }
  if (draft.kind === 'folder') return;
  const path = draft.op === 'copy' ? draft.to! : draft.path;
  if (!baselines.has(path)) baselines.set(path, before?.hash ?? null);
  seen.set(path, after?.hash ?? null);
}

/** The folders above a new path that do not exist yet, outermost first. Code: change.folderMissing beyond eight. */
export async function missingFolders(context: ToolContext, path: string): Promise<Result<readonly string[]>> {
  const separator = path.startsWith('/') ? '/' : '\\';
  const missing: string[] = [];
  let at = path;
  for (;;) {
    at = at.slice(0, at.lastIndexOf(separator));
    if (at === '' || at.endsWith(':')) return ok(missing);
    const there = await context.changes.inspect(at);
    if (!there.ok) return there;
    if (there.value !== null) return there.value.kind === 'folder' ? ok(missing) : fail('gate.notFolder', { path: at });
    missing.unshift(at);
    if (missing.length > 8) return fail('change.folderMissing', { path });
  }
}

/** The state of a target as it is now, checked against what this run read last (case 29). A file that its cloud drive has not downloaded is told before anybody is asked about it (case 39). Codes: change.missing, .stale, .placeholder. */
export async function presentState(context: ToolContext, target: Resolved): Promise<Result<FileState>> {
  const now = await context.changes.inspect(target.path);
  if (!now.ok) return now;
  if (now.value === null) return fail('change.missing', { path: target.shownPath });
  if (now.value.kind === 'file' && (await isStub(context.fs, target.path, now.value.size))) return fail('change.placeholder', { path: target.shownPath });
  const seen = context.seen.get(target.path);
  return seen !== undefined && seen !== now.value.hash ? fail('change.stale', { path: target.shownPath }) : ok(now.value);
}
