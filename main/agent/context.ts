import type { Hash } from '#domain/ids.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import type { ModelImage, ModelMessage } from '#main/model/types.ts';
import type { ContextMessage } from '#projections/model-context/model-context.ts';
import { fromLongText } from './long-text.ts';

/**
 * Resolves the blobs of projected messages: what a provider is sent. Images ride in a user message after
 * the tool results; those of earlier turns stay out, since the model has said what it saw in them.
 */
export async function resolveMessages(blobs: Pick<BlobStore, 'get'>, messages: readonly ContextMessage[], pictures: 'with images' | 'without images'): Promise<ModelMessage[]> {
  const out: ModelMessage[] = [];
  let images: Hash[] = [];
  const flushImages = async () => {
    if (images.length === 0) return;
    const loaded = (await Promise.all(images.map((h) => loadImage(blobs, h)))).filter((x) => x !== null);
    images = [];
    if (loaded.length > 0) out.push({ role: 'user', text: 'The images that the tools read:', images: loaded });
  };
  for (const m of messages) {
    if (m.role === 'tool') {
      out.push({ role: 'tool', call: m.call, text: await fromLongText(blobs, m.text), outcome: m.outcome, code: m.code });
      if (pictures === 'with images') images.push(...m.images);
      continue;
    }
    await flushImages();
    if (m.role === 'user') {
      const files = m.attachments.map((a) => `- ${a.path} (${a.size} bytes)`).join('\n');
      const text = await fromLongText(blobs, m.text);
      out.push({ role: 'user', text: files ? `${text}\n\nAttached files:\n${files}` : text });
    } else {
      const calls = await Promise.all(m.calls.map(async (c) => ({ id: c.id, name: c.name, args: await fromLongText(blobs, c.args) })));
      const reasoning = m.reasoning ? await fromLongText(blobs, m.reasoning) : '';
      out.push({ role: 'assistant', text: await fromLongText(blobs, m.text), calls, ...(reasoning ? { reasoning } : {}) });
    }
  }
  await flushImages();
  return out;
}

const SIGNATURES: readonly (readonly [mime: string, bytes: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
];

async function loadImage(blobs: Pick<BlobStore, 'get'>, hash: Hash): Promise<ModelImage | null> {
  const got = await blobs.get(hash);
  if (!got.ok) return null;
  const mime = SIGNATURES.find(([, sig]) => sig.every((b, i) => got.value[i] === b))?.[0];
  return mime ? { mime, base64: Buffer.from(got.value).toString('base64') } : null;
}

/** Rough tokens of a message with everything it carries. */
export function messageTokens(m: ModelMessage): number {
  const calls = m.role === 'assistant' ? m.calls.reduce((n, c) => n + estimateTokens(c.name) + estimateTokens(c.args), 0) : 0;
  return estimateTokens(m.text) + calls;
}

/** Rough tokens of a text: Chinese counts about 0.75, other characters 1/3.6 (measured within 6 % of o200k on prose). */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) wide++;
  return Math.ceil(wide * 0.75 + (text.length - wide) / 3.6);
}
