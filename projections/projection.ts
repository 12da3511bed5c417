import type { StoredEvent } from '#domain/events/index.ts';

/** A pure fold of events into one view. A stored event is a fact: `project` never throws and never refuses. */
export interface Projection<View, E extends StoredEvent = StoredEvent> {
  /** Raised whenever a stored cache of the view would be wrong. */
  readonly version: number;
  readonly initial: View;
  readonly project: (view: View, event: E) => View;
}

/** Folds from the start or from a given view. */
export function fold<View, E extends StoredEvent>(projection: Projection<View, E>, events: Iterable<E>, from: View = projection.initial): View {
  let view = from;
  for (const event of events) if (!event.unknown) view = projection.project(view, event);
  return view;
}
