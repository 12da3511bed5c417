import { decodeText } from '#domain/text/encoding.ts';
import { lineDiff } from '#workers/diff/line-diff.ts';
import type { Kit } from './kit.ts';
import type { ChangeRequest } from './types.ts';

/** Texts above this are not compared here; the screen counts them in a worker. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Comparisons in main, where the person waits: a few tens of milliseconds. */
const BUDGET = 2_000_000;

/** Net lines against the first before of the run; nothing for what is no text. */
export async function countLines(kit: Kit, request: ChangeRequest, texts: { readonly before: Uint8Array | null; readonly after: Uint8Array }): Promise<{ added?: number; removed?: number }> {
  let first: Uint8Array | null = texts.before;
  if (request.baseline === null) first = null;
  else if (request.baseline !== undefined) {
    const got = await kit.blobs.get(request.baseline);
    if (!got.ok) return {};
    first = got.value;
  }
  return countBetween(first, texts.after);
}

/** Lines added and removed between two contents (null: no file); nothing for what is no text or too long. */
export function countBetween(before: Uint8Array | null, after: Uint8Array | null): { added?: number; removed?: number } {
  if ((before?.length ?? 0) > MAX_BYTES || (after?.length ?? 0) > MAX_BYTES) return {};
  const old = decodeText(before ?? new Uint8Array());
  const now = decodeText(after ?? new Uint8Array());
  if (!old.ok || !now.ok) return {};
  const { added, removed } = lineDiff(old.value.text, now.value.text, BUDGET);
  return { added, removed };
}
