import type { Change, ChangeOp, FileState, RevertTarget } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import type { Flavour } from '#domain/policy/flavour.ts';
import { fail, type Failure } from '#domain/result.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Random } from '#main/ports/random.ts';
import type { ChangedExtra, ChangeJournal, ChangeRequest, Trash } from './types.ts';

export interface ChangesDeps {
  readonly fs: FsPort;
  readonly blobs: BlobStore;
  readonly journal: ChangeJournal;
  readonly trash: Trash;
  readonly random: Random;
  readonly flavour: Flavour;
  /** Work through `/proc/self/fd/N`; default: where the flavour is posix. */
  readonly handles?: boolean;
  /** Waits between tries at a file that another program holds. Tests pass their own. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Errno codes worth another try; default: those that pass by themselves on this system. */
  readonly retryOn?: readonly string[];
}

/** What every verb works with. */
export interface Kit extends ChangesDeps {
  readonly handles: boolean;
  readonly wait: (ms: number) => Promise<void>;
  readonly retryOn: readonly string[];
}

/** Files up to this size get a before-blob when they go to the trash (design §4). */
export const TRASH_BLOB_BYTES = 64 * 1024 * 1024;
/** Largest file that is read whole to be written. */
export const MAX_WRITE_BYTES = 512 * 1024 * 1024;

/** What a verb did, for the journal. */
export interface Done extends ChangedExtra {
  readonly after: FileState | null;
}

/** A verb that changed something and could not take it back: its intent stays open and is settled by hash at the next start. */
export const UNSETTLED = 'change.unsettled';

/** Names the protocol makes in the person's folder; domain/policy/names.ts knows the pattern (OWN_LEFTOVER). */
export function ownNames(change: ChangeId): { readonly temp: string; readonly keep: string } {
  const id = change.slice(change.indexOf('_') + 1);
  return { temp: `.curator-${id}.tmp`, keep: `.curator-${id}.keep` };
}

/** The fact as planned; `after` is the state aimed at. */
export function changeOf(id: ChangeId, request: ChangeRequest, kind: 'file' | 'folder', before: FileState | null, after: FileState | null): Change {
  const optional: { to?: string; reverts?: RevertTarget } = {};
  if (request.to !== undefined) optional.to = request.to;
  if (request.reverts !== undefined) optional.reverts = request.reverts;
  return { change: id, call: request.call, op: request.op satisfies ChangeOp, path: request.path, ...optional, kind, address: request.address, before, after };
}

const CODES: Readonly<Record<string, string>> = {
  ENOENT: 'change.missing', EEXIST: 'change.exists', ENOSPC: 'change.full', EDQUOT: 'change.full', EROFS: 'change.readOnlyDisk', EACCES: 'change.denied', EPERM: 'change.denied',
  EBUSY: 'change.inUse', ETXTBSY: 'change.inUse', ENAMETOOLONG: 'change.nameTooLong', EXDEV: 'change.crossDevice', ELOOP: 'change.link', EISDIR: 'change.isFolder',
  ENOTDIR: 'change.folderMissing', ENOTEMPTY: 'change.folderNotEmpty',
};

/** An errno error as a value. On Windows a refused swap means that somebody holds the file (case 37). */
export function failureOf(cause: unknown, flavour: Flavour, params?: Failure['params']): { readonly ok: false; readonly error: Failure } {
  const errno = errnoOf(cause);
  if (errno === 'EUNKNOWN' && !(cause as { syscall?: unknown } | null)?.syscall && cause instanceof TypeError) throw cause;
  const held = flavour === 'win32' && (errno === 'EPERM' || errno === 'EACCES');
  return fail(held ? 'change.inUse' : (CODES[errno] ?? 'change.io'), params, errno);
}

/** Disks without hard links answer so (FAT, some network drives). */
export function hasNoLinks(cause: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(errnoOf(cause));
}

/** Tries again while another program holds a file: about three seconds in nine steps, then gives up (case 37). */
export async function patiently<T>(kit: Kit, deed: () => Promise<T>): Promise<T> {
  for (let pause = 10; ; pause *= 2) {
    try {
      return await deed();
    } catch (cause) {
      if (!kit.retryOn.includes(errnoOf(cause)) || pause > 1500) throw cause;
      await kit.wait(pause);
    }
  }
}

/** Runs clean-up that may fail too: what stays is swept at the next start (sweep.ts). */
export async function quietly(deed: () => Promise<unknown>): Promise<boolean> {
  try {
    await deed();
    return true;
  } catch {
    return false;
  }
}
