import type { PartnerEvent } from '#domain/events/index.ts';
import { evolveFacts, NO_FACTS, type PartnerFacts } from '#domain/partner/facts.ts';
import type { Projection } from '../projection.ts';

/** The partner's own facts as a view. */
export const partnerFacts: Projection<PartnerFacts, PartnerEvent> = { version: 1, initial: NO_FACTS, project: evolveFacts };
