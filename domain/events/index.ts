import { appEvents } from './app.ts';
import type { EventDef } from './define.ts';
import type { StoredEvent } from './envelope.ts';
import { partnerEvents } from './partner.ts';

export { appEvents, partnerEvents };
export type { Actor, EventClass, EventDraft, StoredEvent } from './envelope.ts';
export { draft, type DataOf, type DraftContext, type EventDef } from './define.ts';
export * from './shapes.ts';

type EventsOf<M> = { [K in keyof M]: M[K] extends EventDef<infer T, infer D> ? StoredEvent<T, D> : never }[keyof M];
/** Any current fact of a partner's log. */
export type PartnerEvent = EventsOf<typeof partnerEvents>;
/** Any current fact of the app's log. */
export type AppEvent = EventsOf<typeof appEvents>;

/** The definition of a stored type, or undefined for one that a newer version wrote. */
export function definitionOf(log: 'partner' | 'app', type: string): EventDef | undefined {
  const table = (log === 'partner' ? partnerEvents : appEvents) as unknown as Readonly<Record<string, EventDef>>;
  return Object.hasOwn(table, type) ? table[type] : undefined;
}
