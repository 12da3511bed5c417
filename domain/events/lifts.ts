import type { StoredEvent } from './envelope.ts';
import { definitionOf } from './index.ts';

/**
 * Lifts turn a stored shape into the current one, one version at a time, at the log's read edge only
 * (design §3). `lifts[type][i]` lifts version i+1 to i+2, so the current version is the chain length
 * plus one; this is asserted below. Stored lines are never rewritten by a lift.
 */
export type Lift = (data: unknown) => unknown;
export const lifts: Readonly<Record<'partner' | 'app', Readonly<Record<string, readonly Lift[]>>>> = { partner: {}, app: {} };

for (const log of ['partner', 'app'] as const) {
  for (const [type, chain] of Object.entries(lifts[log])) {
    const current = definitionOf(log, type)?.v;
    if (current !== chain.length + 1) throw new Error(`${log} event ${type} is at version ${current}, its lifts end at ${chain.length + 1}`);
  }
}

/** Lifts one stored event. Unknown types and newer versions come back marked, never dropped, never folded. */
export function lift(log: 'partner' | 'app', stored: StoredEvent): StoredEvent {
  const def = definitionOf(log, stored.type);
  if (!def || stored.v > def.v) return { ...stored, unknown: true };
  if (stored.data === null || stored.v === def.v) return stored;
  let data: unknown = stored.data;
  for (const step of (lifts[log][stored.type] ?? []).slice(stored.v - 1)) data = step(data);
  return { ...stored, v: def.v, data };
}
