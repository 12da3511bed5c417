import * as z from 'zod/mini';
import type { AddressId, BatchId, CallId, ChangeId, Hash, OriginId, ProviderId, RunId } from '../ids.ts';

/** Small shapes that several events share. Every string has a length limit: a line is at most 1 MiB. */

const idText = <T extends string>(kind: string) => z.custom<T>((x) => typeof x === 'string' && x.startsWith(kind + '_') && x.length <= 64);
export const runId = idText<RunId>('run');
export const callId = z.custom<CallId>((x) => typeof x === 'string' && x.length > 0 && x.length <= 200);
export const changeId = idText<ChangeId>('change');
export const batchId = idText<BatchId>('batch');
export const addressId = idText<AddressId>('address');
export const providerId = z.custom<ProviderId>((x) => typeof x === 'string' && x.length > 0 && x.length <= 64);
export const originId = idText<OriginId>('origin');
export const hash = z.custom<Hash>((x) => typeof x === 'string' && x.length === 64 && /^[0-9a-f]{64}$/.test(x));

export const name = z.string().check(z.minLength(1), z.maxLength(200));
export const path = z.string().check(z.minLength(1), z.maxLength(8192));
/** Characters of one text that may stand in a log line; even if every one is escaped a line stays below 1 MiB. */
export const INLINE_CHARS = 32_000;
/** Longer text goes to a blob (see `longText`). */
export const text = z.string().check(z.maxLength(INLINE_CHARS));
/** Text in the line up to INLINE_CHARS, beyond that in a blob that `refs` names. `chars` is the whole length. */
export const longText = z.union([
  z.object({ text }),
  z.object({ blob: hash, chars: z.number(), head: z.string().check(z.maxLength(4000)) }),
]);
export type LongText = z.infer<typeof longText>;

export const FACE_SHAPES = ['circle', 'square', 'capsule', 'hexagon', 'cloud', 'drop'] as const;
export const FACE_COLOURS = [
  'rouge', 'persimmon', 'apricot', 'mustard', 'sprout', 'bamboo',
  'celadon', 'lake', 'indigo', 'wisteria', 'blossom', 'stone',
] as const;
/** A partner's face: six shapes × twelve colours (WB-SESSION-001-B2). */
export const face = z.object({ shape: z.enum(FACE_SHAPES), colour: z.enum(FACE_COLOURS) });
export type Face = z.infer<typeof face>;

/** `review` asks where the table of design §5 says ask; `full` is the person's advance consent. */
export const permission = z.enum(['review', 'full']);
export type Permission = z.infer<typeof permission>;

/** How a work address may be written: never, after a yes per change, or directly with review and revert. */
export const writePolicy = z.enum(['readOnly', 'confirm', 'direct']);
export type WritePolicy = z.infer<typeof writePolicy>;

/** A model as chosen: `local` is the embedded assistant. */
export const modelChoice = z.object({ provider: providerId, model: name });
export type ModelChoice = z.infer<typeof modelChoice>;
export const LOCAL_MODEL: ModelChoice = { provider: 'local' as ProviderId, model: 'local' };

/** A file at one instant. `blob` says that the bytes are kept under `hash`. */
export const fileState = z.object({
  kind: z.enum(['file', 'folder']),
  hash: z.nullable(hash),
  size: z.number(),
  mode: z.number(),
  blob: z.boolean(),
});
export type FileState = z.infer<typeof fileState>;

export const CHANGE_OPS = ['create', 'write', 'edit', 'replaceAll', 'copy', 'move', 'rename', 'mkdir', 'trash', 'revert'] as const;
export const changeOp = z.enum(CHANGE_OPS);
export type ChangeOp = z.infer<typeof changeOp>;

/** Ordinary: a plain yes. Strong: the card names what is at stake and the yes is a second, red button. */
export const risk = z.enum(['low', 'medium', 'high']);
export type Risk = z.infer<typeof risk>;

export const attachment = z.object({ path, name, size: z.number() });
export type Attachment = z.infer<typeof attachment>;

/** Who decided or asked, by which face of the product (design §7). */
export const channel = z.enum(['window', 'web', 'cli']);
export type Channel = z.infer<typeof channel>;

/** What the screen says for a tool call: a key of the catalogue and what fills it. Never raw tool names. */
export const shown = z.object({ key: z.string().check(z.maxLength(80)), params: z.record(z.string(), z.union([z.string(), z.number()])) });
export type Shown = z.infer<typeof shown>;

/** One planned action on a card: what will happen to which path, with which risk, bound to bytes by hash (WA-PLAN-*). */
export const plan = z.object({
  call: callId,
  op: z.union([changeOp, z.enum(['read', 'command'])]),
  path,
  to: z.optional(path),
  kind: z.enum(['file', 'folder']),
  address: z.nullable(addressId),
  before: z.nullable(fileState),
  after: z.nullable(fileState),
  /** Line counts for text; absent where lines mean nothing. */
  added: z.optional(z.number()),
  removed: z.optional(z.number()),
  risk,
  /** A strong question: move, trash, folders (design §5). */
  strong: z.boolean(),
  /** Catalogue keys with what fills them. */
  warnings: z.array(shown),
  shown,
});
export type Plan = z.infer<typeof plan>;

/** Which record a revert takes back. `seq` is where the record's run starts in its origin. `undo` true takes the revert itself back. */
export const revertTarget = z.object({ origin: originId, seq: z.number(), run: z.nullable(runId), record: changeId, undo: z.boolean() });
export type RevertTarget = z.infer<typeof revertTarget>;

/** One raw change of one path. A missing `before` means created, a missing `after` means gone. */
export const change = z.object({
  change: changeId,
  call: z.nullable(callId),
  op: changeOp,
  path,
  to: z.optional(path),
  kind: z.enum(['file', 'folder']),
  address: z.nullable(addressId),
  before: z.nullable(fileState),
  after: z.nullable(fileState),
  reverts: z.optional(revertTarget),
});
export type Change = z.infer<typeof change>;
