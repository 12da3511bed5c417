import * as z from 'zod/mini';
import type { EventId, Hash, RunId } from '../ids.ts';
import type { Actor, EventClass, EventDraft } from './envelope.ts';

/** One event type: its current version, class, schema, and which blobs its data needs. */
export interface EventDef<T extends string = string, D = unknown> {
  readonly type: T;
  readonly v: number;
  readonly class: EventClass;
  readonly schema: z.ZodMiniType<D>;
  readonly refs: (data: D) => readonly Hash[];
}

export function define<const T extends string, D>(
  type: T,
  v: number,
  eventClass: EventClass,
  schema: z.ZodMiniType<D>,
  refs: (data: D) => readonly Hash[] = () => [],
): EventDef<T, D> {
  return { type, v, class: eventClass, schema, refs };
}

export type DataOf<E> = E extends EventDef<string, infer D> ? D : never;

/** Who, in which run, because of what. */
export interface DraftContext {
  readonly actor: Actor;
  readonly run?: RunId | null;
  readonly cause?: EventId | null;
}

/** Makes a draft, checked against the schema. Throws on wrong data: only our own code makes drafts. */
export function draft<T extends string, D>(def: EventDef<T, D>, data: NoInfer<D>, context: DraftContext): EventDraft<T, D> {
  const checked = def.schema.safeParse(data);
  if (!checked.success) throw new Error(`event ${def.type}: ${z.prettifyError(checked.error)}`);
  return {
    type: def.type,
    v: def.v,
    class: def.class,
    actor: context.actor,
    run: context.run ?? null,
    cause: context.cause ?? null,
    refs: [...new Set(def.refs(data))],
    data,
  };
}
