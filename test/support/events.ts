import type { PartnerEvent, StoredEvent } from '#domain/events/index.ts';
import type { DataOf, partnerEvents } from '#domain/events/index.ts';
import type { OriginId, RunId } from '#domain/ids.ts';

type Events = typeof partnerEvents;
const ORIGIN = ('origin_' + 'a'.repeat(26)) as OriginId;
export const RUN = ('run_' + 'a'.repeat(26)) as RunId;
export const RUN2 = ('run_' + 'b'.repeat(26)) as RunId;

/** Builds facts in order: seq and lamport rise by themselves. */
export function story(origin: OriginId = ORIGIN, firstLamport = 1) {
  let seq = 0;
  return function fact<K extends keyof Events>(type: K, data: DataOf<Events[K]>, run: RunId | null = RUN, actor: StoredEvent['actor'] = 'host'): PartnerEvent {
    seq++;
    const at = new Date(Date.UTC(2026, 10, 1, 8, 0, seq)).toISOString();
    return { id: `event_${seq}`, origin, seq, lamport: firstLamport + seq - 1, at, actor, run, cause: null, class: 'control', refs: [], type, v: 1, data } as unknown as PartnerEvent;
  };
}

export const file = (hash: string, size = 1, blob = true) => ({ kind: 'file' as const, hash: hash.repeat(64).slice(0, 64) as never, size, mode: 0o644, blob });
export const folder = () => ({ kind: 'folder' as const, hash: null, size: 0, mode: 0o755, blob: false });
let n = 0;
export const changeId = () => `change_${String(++n).padStart(26, 'a')}` as never;
