import { ID_BYTES, idFrom, type IdKinds } from '#domain/ids.ts';

/** Unpredictable bytes. Tests pass a seeded one. */
export interface Random {
  bytes(count: number): Uint8Array;
}

export function newId<K extends keyof IdKinds>(random: Random, kind: K): IdKinds[K] {
  return idFrom(kind, random.bytes(ID_BYTES));
}
