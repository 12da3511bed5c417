import { decodeText, lineEndOf, type TextFile } from '#domain/text/encoding.ts';
import type { Hash } from '#domain/ids.ts';
import { ok, type Failure, type Result } from '#domain/result.ts';
import type { DiffView } from '#main/api/views.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { lineDiff } from '#workers/diff/line-diff.ts';

/** Larger texts are not drawn line by line. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The diff of two immutable versions, by their names; null stands for “no file”. */
export async function diffBlobs(blobs: BlobStore, before: Hash | null, after: Hash | null): Promise<Result<DiffView, Failure>> {
  const sizes = await Promise.all([before, after].map((h) => (h ? blobs.sizeOf(h) : 0)));
  if (sizes.some((s) => (s ?? 0) > MAX_BYTES)) return ok({ kind: 'tooLarge', oldSize: sizes[0] ?? 0, newSize: sizes[1] ?? 0 });
  const texts: TextFile[] = [];
  for (const hash of [before, after]) {
    if (!hash) {
      texts.push({ text: '', encoding: 'utf-8', bom: false } as TextFile);
      continue;
    }
    const bytes = await blobs.get(hash);
    if (!bytes.ok) return bytes;
    const text = decodeText(bytes.value);
    if (!text.ok) return ok({ kind: 'binary', oldSize: before ? (sizes[0] ?? 0) : null, newSize: after ? (sizes[1] ?? 0) : null });
    texts.push(text.value);
  }
  const [old, now] = texts as [TextFile, TextFile];
  const diff = lineDiff(old.text, now.text);
  const oldText = linesOf(old.text);
  const newText = linesOf(now.text);
  const shown = after ? now : old;
  const end = lineEndOf(shown.text);
  return ok({
    kind: 'text', added: diff.added, removed: diff.removed, oldLines: oldText.length, newLines: newText.length, oldText, newText,
    hunks: diff.hunks.map((h) => ({ oldFrom: h.beforeStart, oldTo: h.beforeStart + h.beforeCount, newFrom: h.afterStart, newTo: h.afterStart + h.afterCount })),
    encoding: shown.encoding, lineEnd: end === 'cr' ? 'mixed' : end, bom: shown.bom, coarse: diff.capped,
    oldEndsWithNewline: old.text === '' || old.text.endsWith('\n'), newEndsWithNewline: now.text === '' || now.text.endsWith('\n'),
  });
}

/** Lines without their ends; a final line end opens no further line. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (/[\n\r]$/.test(text)) lines.pop();
  return lines;
}
