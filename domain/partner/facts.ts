import { LOCAL_MODEL, type Face, type ModelChoice, type PartnerEvent, type Permission } from '../events/index.ts';

/** A partner's own facts: what the sidebar, the composer and `decide` need. Small at any length of history. */
export interface PartnerFacts {
  readonly created: boolean;
  readonly name: string;
  readonly face: Face;
  readonly pinned: boolean;
  readonly permission: Permission;
  /** Null: the app's default model. */
  readonly model: ModelChoice | null;
}

/** Event types that this view folds; the read model keeps their positions so that any moment is a binary search. */
export const PARTNER_FACT_TYPES = [
  'PartnerCreated', 'PartnerRenamed', 'PartnerFaceChosen', 'PartnerPinned', 'PartnerUnpinned', 'PermissionChosen', 'ModelChosen',
] as const;

export const NO_FACTS: PartnerFacts = { created: false, name: '', face: { shape: 'circle', colour: 'stone' }, pinned: false, permission: 'review', model: null };

export function evolveFacts(view: PartnerFacts, event: PartnerEvent): PartnerFacts {
  if (event.unknown || event.data === null) return view;
  switch (event.type) {
    case 'PartnerCreated': return { ...view, created: true, name: event.data.name, face: event.data.face };
    case 'PartnerRenamed': return { ...view, name: event.data.name };
    case 'PartnerFaceChosen': return { ...view, face: event.data.face };
    case 'PartnerPinned': return { ...view, pinned: true };
    case 'PartnerUnpinned': return { ...view, pinned: false };
    case 'PermissionChosen': return { ...view, permission: event.data.permission };
    case 'ModelChosen': return { ...view, model: event.data.model };
    default: return view;
  }
}

/** What the next run uses: the partner's choice, else the app's default, else the embedded assistant. */
export function modelOf(facts: PartnerFacts, fallback: ModelChoice | null): ModelChoice {
  return facts.model ?? fallback ?? LOCAL_MODEL;
}
