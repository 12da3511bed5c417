import type { PartnerEvent } from '../events/index.ts';
import type { BatchId, CallId, OriginId, RunId } from '../ids.ts';
import { evolveFacts, NO_FACTS, type PartnerFacts } from './facts.ts';

/** What `decide` needs to know of a partner: its facts and the run in flight, if any. */
export interface PartnerState {
  readonly facts: PartnerFacts;
  readonly active: ActiveRun | null;
}

export interface ActiveRun {
  readonly run: RunId;
  readonly origin: OriginId;
  /** Where its turn starts. */
  readonly seq: number;
  readonly status: 'running' | 'waiting' | 'stopping';
  readonly batch: { readonly id: BatchId; readonly calls: readonly CallId[] } | null;
}

export const NEW_PARTNER: PartnerState = { facts: NO_FACTS, active: null };

/**
 * Total: a stored event is a fact. Two installations may each have had a run in flight; the one that
 * started last in merge order is the active one, and any end of it ends it.
 */
export function evolve(state: PartnerState, event: PartnerEvent): PartnerState {
  if (event.unknown) return state;
  const facts = evolveFacts(state.facts, event);
  const active = evolveActive(state.active, event);
  return facts === state.facts && active === state.active ? state : { facts, active };
}

function evolveActive(active: ActiveRun | null, event: PartnerEvent): ActiveRun | null {
  if (event.type === 'MessageSent') {
    return event.run === null ? active : { run: event.run, origin: event.origin, seq: event.seq, status: 'running', batch: null };
  }
  if (!active || event.run !== active.run || event.data === null) return active;
  switch (event.type) {
    // A stop is final, whatever was on its way when it came.
    case 'ApprovalAsked': return active.status === 'stopping' ? active : { ...active, status: 'waiting', batch: { id: event.data.batch, calls: event.data.plans.map((p) => p.call) } };
    case 'ApprovalDecided': return active.status === 'waiting' ? { ...active, status: 'running', batch: null } : active;
    case 'StopRequested': return { ...active, status: 'stopping' };
    case 'RunCompleted':
    case 'RunStopped':
    case 'RunFailed':
    case 'RunLimitReached':
    case 'RunInterrupted': return null;
    default: return active;
  }
}
