import type { Hash } from '#domain/ids.ts';
import { ok, type Failure, type Result } from '#domain/result.ts';
import type { DiffView } from '#main/api/views.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { diffText, type TextDiff } from '#workers/diff/diff-text.ts';

/** Larger texts are not drawn line by line. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Up to this size a diff is done before a thread could answer. */
const SMALL_BYTES = 64 * 1024;

/** Diffs bytes somewhere; a worker thread in the product. */
export type DiffBytes = (before: Uint8Array | null, after: Uint8Array | null) => Promise<Result<TextDiff | null>>;

/** The diff of two immutable versions, by their names; null stands for “no file”. */
export async function diffBlobs(blobs: BlobStore, far: DiffBytes, before: Hash | null, after: Hash | null): Promise<Result<DiffView, Failure>> {
  const [oldSize, newSize] = await Promise.all([before, after].map(async (h) => (h ? await blobs.sizeOf(h) : 0)));
  const size = Math.max(oldSize ?? 0, newSize ?? 0);
  if (size > MAX_BYTES) return ok({ kind: 'tooLarge', oldSize: oldSize ?? 0, newSize: newSize ?? 0 });
  const bytes: (Uint8Array | null)[] = [];
  for (const hash of [before, after]) {
    const got = hash ? await blobs.get(hash) : ok(null);
    if (!got.ok) return got;
    bytes.push(got.value);
  }
  const [old, now] = bytes as [Uint8Array | null, Uint8Array | null];
  const diff = size <= SMALL_BYTES ? ok(diffText(old, now)) : await far(old, now);
  if (!diff.ok) return diff;
  return ok(diff.value ?? { kind: 'binary', oldSize: before ? (oldSize ?? 0) : null, newSize: after ? (newSize ?? 0) : null });
}
