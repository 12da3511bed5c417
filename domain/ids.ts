/** Branded ids: a bare string never passes for one. Each is a prefix and 26 lower-case base-32 characters (130 bits). */
declare const brand: unique symbol;
type Id<B extends string> = string & { readonly [brand]: B };

/** One partner: a person's long conversation with its own log. */
export type PartnerId = Id<'partner'>;
/** One writer's stretch of one log (design §3); never reused. */
export type OriginId = Id<'origin'>;
/** One run of the agent loop, started by one message. */
export type RunId = Id<'run'>;
/** One tool call inside a run. */
export type CallId = Id<'call'>;
/** One raw change of one file. A change *record* is named by the first change it nets. */
export type ChangeId = Id<'change'>;
/** One batch of approvals, decided together. */
export type BatchId = Id<'batch'>;
/** One work address (a folder the person gave us). */
export type AddressId = Id<'address'>;
/** One configured model provider. */
export type ProviderId = Id<'provider'>;
/** One event. */
export type EventId = Id<'event'>;
/** Lower-case hex SHA-256 of some bytes; names a blob. */
export type Hash = Id<'hash'>;

export interface IdKinds {
  partner: PartnerId;
  origin: OriginId;
  run: RunId;
  call: CallId;
  change: ChangeId;
  batch: BatchId;
  address: AddressId;
  provider: ProviderId;
  event: EventId;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Random bytes an id needs: one per character, only its low five bits count. */
export const ID_BYTES = 26;

/** Builds an id from 26 random bytes (given by the Random port; this folder has no randomness of its own). */
export function idFrom<K extends keyof IdKinds>(kind: K, random: Uint8Array): IdKinds[K] {
  let text = kind + '_';
  for (let i = 0; i < ID_BYTES; i++) text += ALPHABET[(random[i] ?? 0) & 31];
  return text as IdKinds[K];
}

const ID_TEXT = /^([a-z]+)_([a-z2-7]{26})$/;

/** True when `text` is a well-formed id of the kind. Says nothing about whether it exists. */
export function isId<K extends keyof IdKinds>(kind: K, text: unknown): text is IdKinds[K] {
  return typeof text === 'string' && ID_TEXT.exec(text)?.[1] === kind;
}

export function isHash(text: unknown): text is Hash {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}
