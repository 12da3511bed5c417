import type { Plan } from '#domain/events/index.ts';

export type Decision = { readonly decision: 'approve' | 'reject' } | { readonly decision: 'guide'; readonly guidance: string };
export type Decisions = ReadonlyMap<string, Decision>;

/** Sets one decision; deciding again replaces it. */
export function decide(decisions: Decisions, call: string, decision: Decision): Decisions {
  return new Map(decisions).set(call, decision);
}

/** Where to look next: the first undecided plan after `at`, round the end; `at` when all are decided. */
export function nextUndecided(plans: readonly Plan[], decisions: Decisions, at: number): number {
  for (let i = 1; i <= plans.length; i++) {
    const n = (at + i) % plans.length;
    const plan = plans[n];
    if (plan && !decisions.has(plan.call)) return n;
  }
  return at;
}

/** The whole batch as one call's input; null while something is undecided: a batch is decided together. */
export function batchOf(plans: readonly Plan[], decisions: Decisions): { call: string; decision: 'approve' | 'reject' | 'guide'; guidance?: string }[] | null {
  const all = plans.map((p) => {
    const d = decisions.get(p.call);
    if (!d) return null;
    return d.decision === 'guide' ? { call: p.call as string, decision: d.decision, guidance: d.guidance } : { call: p.call as string, decision: d.decision };
  });
  return all.every((d) => d !== null) ? all : null;
}
