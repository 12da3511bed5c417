import { isPlaceholder } from '#main/changes/look.ts';
import { createHash } from 'node:crypto';
import type { Plan, Shown } from '#domain/events/index.ts';
import type { Hash } from '#domain/ids.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { GateOp, Resolved, Verdict } from '#main/gate/types.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Prepared, ToolContext, ToolOutcome } from '../types.ts';
import { openExactly } from './exact.ts';
import { CANCELLED, failedOutcome, refusal } from './outcomes.ts';

/** Most bytes of one file that one call shows (WA-READ-02). */
export const READ_BYTES = 128 * 1024;

/** Larger files are not hashed whole for a look at their beginning. */
const HASH_BYTES = 256 * 1024 * 1024;

/** The first bytes of a file, and the hash of all of it (null above 256 MB). */
export interface ReadFile {
  readonly head: Uint8Array;
  readonly size: number;
  readonly hash: Hash | null;
}

/**
 * Reads up to `keep` bytes and hashes the whole file. Refuses what is no regular file after it was
 * opened, so that a swap cannot feed a device. Codes: change.missing, .placeholder, .denied, tool.folder, gate.notRegular.
 */
export async function readHead(fs: FsPort, path: string, keep: number, signal?: AbortSignal): Promise<Result<ReadFile>> {
  try {
    const file = await openExactly(fs, path);
    try {
      const stat = await file.stat();
      if (stat.kind === 'folder') return fail('tool.folder', { path });
      if (stat.kind !== 'file') return fail('gate.notRegular', { path });
      if (await isStub(fs, path, stat.size)) return fail('change.placeholder', { path });
      const head = new Uint8Array(Math.min(keep, stat.size));
      const hash = createHash('sha256');
      const buffer = new Uint8Array(256 * 1024);
      // What is appended meanwhile is not followed: a log that grows for ever has an end here.
      const end = stat.size > HASH_BYTES ? head.length : stat.size;
      let done = 0;
      for (let got; done < end && (got = await file.read(buffer, 0, Math.min(buffer.length, end - done), done)) > 0; done += got) {
        if (signal?.aborted) return fail('tool.cancelled');
        hash.update(buffer.subarray(0, got));
        if (done < head.length) head.set(buffer.subarray(0, Math.min(got, head.length - done)), done);
      }
      return ok({ head: head.subarray(0, Math.min(done, head.length)), size: stat.size, hash: stat.size > HASH_BYTES ? null : (hash.digest('hex') as Hash) });
    } finally {
      await file.close();
    }
  } catch (cause) {
    const errno = errnoOf(cause);
    return fail(errno === 'ENOENT' ? 'change.missing' : errno === 'ESTALE' ? 'gate.moved' : errno === 'EACCES' || errno === 'EPERM' ? 'change.denied' : 'change.io', { path }, errno);
  }
}

/** Only the first bytes, without a hash: for searching. Null when unreadable or no regular file. */
export async function peek(fs: FsPort, path: string, keep: number): Promise<{ readonly bytes: Uint8Array; readonly size: number } | null> {
  try {
    const file = await openExactly(fs, path);
    try {
      const stat = await file.stat();
      if (stat.kind !== 'file') return null;
      const bytes = new Uint8Array(Math.min(keep, stat.size));
      let got = 0;
      for (let n; got < bytes.length && (n = await file.read(bytes, got, bytes.length - got, got)) > 0; ) got += n;
      return { bytes: bytes.subarray(0, got), size: stat.size };
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** A file that is a cloud drive's stub, or empty with such a stub beside it. */
export function isStub(fs: FsPort, path: string, size: number): Promise<boolean> {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return isPlaceholder(fs, (name) => path.slice(0, cut) + name, path.slice(cut), size);
}

/**
 * A call that only looks: asks the gate, and once more when it runs (the answer may come days after the
 * question). `look` gets the target as it is then.
 */
export async function prepareLook(context: ToolContext, op: GateOp, path: string, shown: Shown, look: (target: Resolved, signal: AbortSignal) => Promise<ToolOutcome>): Promise<Prepared> {
  const verdict = await context.gate.judge(op, path, context.gateContext);
  if (verdict.verdict === 'refuse') return refusal(verdict);
  const run = async (signal: AbortSignal): Promise<ToolOutcome> => {
    if (signal.aborted) return CANCELLED;
    const again = await context.gate.judge(op, path, context.gateContext);
    if (again.verdict === 'refuse') return failedOutcome(again, 'refused');
    if (again.target.path !== verdict.target.path) return failedOutcome({ code: 'gate.moved', params: { path } }, 'refused');
    return look(again.target, signal);
  };
  return verdict.verdict === 'do' ? { go: 'do', run } : { go: 'ask', plan: lookPlan(context, verdict, shown), run };
}

function lookPlan(context: ToolContext, verdict: Exclude<Verdict, { verdict: 'do' | 'refuse' }>, shown: Shown): Plan {
  const { target } = verdict;
  return {
    call: context.call, op: 'read', path: target.path, kind: target.kind === 'folder' ? 'folder' : 'file', address: target.address?.address ?? null,
    before: null, after: null, risk: 'low', strong: verdict.verdict === 'askStrongly', warnings: target.zone === 'outside' ? [{ key: 'warn.outside', params: {} }] : [], shown,
  };
}
