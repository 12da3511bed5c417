import { INLINE_CHARS, type LongText } from '#domain/events/index.ts';
import { ok, type Result } from '#domain/result.ts';
import type { BlobStore } from '#main/blobs/types.ts';

const HEAD_CHARS = 2000;

/** Puts text that is too long for a log line into a blob; short text stays as it is. */
export async function toLongText(blobs: BlobStore, text: string): Promise<Result<LongText>> {
  // Lone surrogates cannot be stored as UTF-8: replaced, so that what is hashed is what is read back.
  const clean = text.isWellFormed() ? text : text.toWellFormed();
  if (clean.length <= INLINE_CHARS) return ok({ text: ownCopy(clean) });
  const put = await blobs.put(new TextEncoder().encode(clean));
  return put.ok ? ok({ blob: put.value, chars: clean.length, head: ownCopy(clean.slice(0, HEAD_CHARS).toWellFormed()) }) : put;
}

/** A part of a string keeps the whole of it in memory as long as it lives, and events live long (case 55): a copy does not. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** A long text whole; where its blob cannot be read, its beginning. */
export async function fromLongText(blobs: Pick<BlobStore, 'get'>, text: LongText): Promise<string> {
  if ('text' in text) return text.text;
  const got = await blobs.get(text.blob);
  return got.ok ? new TextDecoder().decode(got.value) : text.head;
}
