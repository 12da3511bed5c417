import { evolve, NEW_PARTNER, type PartnerState } from '#domain/partner/state.ts';
import type { History } from './history.ts';

/** The state that `decide` needs, from the facts and the newest turn alone: cost does not grow with the history. */
export async function stateOf(history: History): Promise<PartnerState> {
  const facts = await history.facts();
  let state: PartnerState = { ...NEW_PARTNER, facts };
  for (const event of await history.tail()) state = { ...evolve(state, event), facts };
  return state;
}
