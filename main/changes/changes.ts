import { newId } from '#main/ports/random.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Change, ChangeOp } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import { changeOf, failureOf, UNSETTLED, type ChangesDeps, type Done, type Kit } from './kit.ts';
import { countLines } from './lines.ts';
import { stateAt } from './look.ts';
import { move } from './move.ts';
import { openPlaceOf, type Place } from './place.ts';
import { trash } from './remove.ts';
import { revert } from './revert.ts';
import { settle } from './settle.ts';
import { sweepLeftovers, type Swept } from './sweep.ts';
import type { AppliedChange, ChangedExtra, ChangeRequest, Changes } from './types.ts';
import { copy, create, mkdir, write, type Prepare, type Ready } from './verbs.ts';

const VERBS: Readonly<Record<ChangeOp, Prepare>> = { create, write, edit: write, replaceAll: write, copy, move, rename: move, mkdir, trash, revert };

/**
 * The only way to change a person's file (design §4). Every verb runs one protocol: hold the parent,
 * look and hash, keep what was there, write down the plan, act, write down what happened. A failure
 * leaves the disk as it was and says so in the journal, but for `change.unsettled`: there the intent
 * stays open for `settle`. `change.unrecorded` means done on the disk but not in the log.
 */
export function createChanges(deps: ChangesDeps): Changes & { sweepLeftovers(folders: readonly string[], planned?: readonly Change[]): Promise<Swept> } {
  const kit: Kit = {
    ...deps,
    handles: deps.handles ?? deps.flavour === 'posix',
    wait: deps.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    retryOn: deps.retryOn ?? (deps.flavour === 'win32' ? ['EPERM', 'EACCES', 'EBUSY'] : ['EBUSY', 'ETXTBSY']),
  };
  return {
    inspect: async (path) => {
      try {
        return ok(await stateAt(kit.fs, path));
      } catch (cause) {
        return failureOf(cause, kit.flavour, { path });
      }
    },
    apply: (request) => apply(kit, request),
    settle: (intents) => settle(kit, intents),
    sweepLeftovers: (folders, planned) => sweepLeftovers(kit, folders, planned ?? []),
  };
}

async function apply(kit: Kit, request: ChangeRequest): Promise<Result<AppliedChange>> {
  const opened = await openPlaceOf(kit, request.path);
  if (!opened.ok) return opened;
  try {
    return await perform(kit, request, opened.value.place, opened.value.name);
  } finally {
    await opened.value.place.close();
  }
}

async function perform(kit: Kit, request: ChangeRequest, place: Place, name: string): Promise<Result<AppliedChange>> {
  const id = newId(kit.random, 'change');
  const ready = await caught(kit, request.path, () => VERBS[request.op](kit, request, id, place, name));
  if (!ready.ok) return ready;
  try {
    return await carryOut(kit, request, id, ready.value);
  } finally {
    await ready.value.close?.();
  }
}

async function carryOut(kit: Kit, request: ChangeRequest, id: ChangeId, ready: Ready): Promise<Result<AppliedChange>> {
  const planned = changeOf(id, request, ready.kind, ready.before, ready.after);
  const written = await kit.journal.planned(planned, request.run);
  if (!written.ok) return written;
  const done = await caught<Done>(kit, request.path, () => ready.run());
  if (!done.ok) {
    if (done.error.code !== UNSETTLED) await kit.journal.failed(id, done.error.code, done.error.detail, request.run);
    return done;
  }
  const { after, ...seen } = done.value;
  const counts = ready.texts && request.op !== 'revert' ? await countLines(kit, request, ready.texts) : {};
  const extra: ChangedExtra = { ...counts, ...(ready.kept ? { kept: ready.kept } : {}), ...seen };
  const change = { ...planned, after };
  const recorded = await kit.journal.changed({ ...change, ...extra }, request.run);
  if (!recorded.ok) return fail('change.unrecorded', { path: request.path }, recorded.error.code);
  return ok({ change: { ...change, ...counts }, ...(seen.overtaken ? { overtaken: seen.overtaken } : {}), ...(seen.trashed ? { trashed: seen.trashed } : {}), ...(extra.kept ? { kept: extra.kept } : {}) });
}

/** Errno errors that a verb did not turn into a value itself: the disk was only looked at, or is as it was. */
async function caught<T>(kit: Kit, path: string, deed: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await deed();
  } catch (cause) {
    return failureOf(cause, kit.flavour, { path });
  }
}
