import * as z from 'zod/mini';
import { fail, ok, type Result } from '#domain/result.ts';
import { defineTool, pathText, shortName } from './support/define.ts';
import { failedOutcome } from './support/outcomes.ts';
import { prepareLook, readHead } from './support/reading.ts';
import type { Prepared, ToolOutcome } from './types.ts';

/** Largest image that is sent to a model. */
export const IMAGE_BYTES = 20 * 1024 * 1024;

const args = z.strictObject({ path: pathText });

/** Reads an image into the blob store, so that what the model saw stays on record. The kind is told by its bytes. */
export const readImage = defineTool(args, {
  name: 'read_image',
  description: 'Look at a PNG, JPEG, WebP or GIF image (up to 20 MB).',
  risk: 'low',
  changes: false,
  shown: (a) => ({ key: 'tool.readImage', params: { name: shortName(a.path) } }),
  prepare: (a, context): Promise<Prepared> =>
    prepareLook(context, 'read', a.path, readImage.shown(a), async (target, signal): Promise<ToolOutcome> => {
      if (target.kind === 'absent') return failedOutcome({ code: 'change.missing', params: { path: target.shownPath } });
      const read = await readHead(context.fs, target.path, IMAGE_BYTES, signal);
      if (!read.ok) return failedOutcome(read.error);
      if (read.value.size > IMAGE_BYTES) return failedOutcome({ code: 'tool.tooLarge', params: { path: target.shownPath, size: read.value.size } });
      const type = imageType(read.value.head);
      if (!type.ok) return failedOutcome({ ...type.error, params: { path: target.shownPath } });
      const stored = await context.blobs.put(read.value.head);
      if (!stored.ok) return failedOutcome(stored.error);
      if (read.value.hash !== null) context.seen.set(target.path, read.value.hash);
      return { outcome: 'ok', text: `[image ${target.shownPath}, ${type.value}, ${read.value.size} bytes]`, images: [stored.value], data: { path: target.path, type: type.value, size: read.value.size, blob: stored.value } };
    }),
});

function imageType(bytes: Uint8Array): Result<string> {
  const starts = (signature: readonly number[], at = 0) => signature.every((byte, i) => bytes[at + i] === byte);
  if (starts([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return ok('image/png');
  if (starts([0xff, 0xd8, 0xff])) return ok('image/jpeg');
  if (starts([0x52, 0x49, 0x46, 0x46]) && starts([0x57, 0x45, 0x42, 0x50], 8)) return ok('image/webp');
  if (starts([0x47, 0x49, 0x46, 0x38])) return ok('image/gif');
  return fail('tool.notImage');
}
