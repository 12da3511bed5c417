import type { PartnerEvent } from '#domain/events/index.ts';
import { mergeOrder } from '#domain/moment.ts';
import type { Projection } from '../projection.ts';
import { projectTurn, startTurn } from './turn.ts';
import type { TurnView } from './views.ts';

/** A stretch of turns, oldest first. Main sends a page of it; the renderer folds what comes after. */
export interface ConversationView {
  readonly turns: readonly TurnView[];
}

/**
 * Turns stand in the order of their first event and keep their run's events together (design §3).
 * Events of runs that the page does not hold change nothing.
 */
export const conversation: Projection<ConversationView, PartnerEvent> = {
  version: 1,
  initial: { turns: [] },
  project(view, event) {
    if (event.type === 'MessageSent') {
      const turn = startTurn(event);
      if (!turn || view.turns.some((t) => t.run === turn.run)) return view;
      const at = view.turns.findLastIndex((t) => mergeOrder(t, turn) < 0) + 1;
      return { turns: [...view.turns.slice(0, at), turn, ...view.turns.slice(at)] };
    }
    if (event.type === 'ContentErased') {
      const ranges = event.data?.ranges ?? [];
      const gone = (t: TurnView) => ranges.some((r) => r.origin === t.origin && r.from <= t.seq && t.seq <= r.to);
      return view.turns.some(gone) ? { turns: view.turns.filter((t) => !gone(t)) } : view;
    }
    const run = event.type === 'FileChanged' && event.data?.reverts ? event.data.reverts.run : event.run;
    if (run === null) return view;
    const at = view.turns.findLastIndex((t) => t.run === run);
    const turn = view.turns[at];
    if (!turn) return view;
    const next = projectTurn(turn, event);
    return next === turn ? view : { turns: [...view.turns.slice(0, at), next, ...view.turns.slice(at + 1)] };
  },
};
