import type { PartnerEvent } from '#domain/events/index.ts';
import { includes } from '#domain/moment.ts';
import { evolveFacts, NO_FACTS } from '#domain/partner/facts.ts';
import type { EventLog } from '#main/log/types.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import type { History } from '#main/partners/history.ts';

/** A history that folds the whole log: what the read model must equal, whatever the length. For tests and small logs. */
export async function foldHistory(log: EventLog): Promise<History> {
  const events: PartnerEvent[] = [];
  for await (const event of log.readMerged()) events.push(event as PartnerEvent);
  const upTo = (asOf?: Parameters<typeof includes>[0]) => (asOf ? events.filter((e) => includes(asOf, e)) : events);
  const turnsOf = (list: readonly PartnerEvent[]) => list.reduce((view, e) => conversation.project(view, e), conversation.initial).turns.filter((t) => !t.message.erased);
  const starts = () => events.flatMap((e, i) => (e.type === 'MessageSent' && e.run !== null ? [{ i, run: e.run }] : []));
  return {
    async page({ before, limit, asOf }) {
      const turns = turnsOf(upTo(asOf)).filter((t) => before === undefined || t.lamport < before);
      return { turns: turns.slice(-limit), older: turns.length > limit };
    },
    async facts(asOf) {
      return upTo(asOf).reduce(evolveFacts, NO_FACTS);
    },
    async turn(run) {
      return turnsOf(events).find((t) => t.run === run) ?? null;
    },
    async turnOfChange(change) {
      const made = events.find((e) => (e.type === 'FileChanged' && !e.data?.reverts && e.data?.change === change) || (e.type === 'FileChangeSettled' && e.data?.change === change));
      return turnsOf(events).find((t) => t.run === made?.run) ?? null;
    },
    async tail() {
      return events.slice(starts().at(-1)?.i ?? 0);
    },
    async *turnEvents() {
      for (const { run } of starts().reverse()) yield events.filter((e) => e.run === run);
    },
    async *changedTurns() {
      const changes = events.filter((e) => (e.type === 'FileChanged' && !e.data?.reverts) || e.type === 'FileChangeSettled').reverse();
      const turns = turnsOf(events);
      for (const run of new Set(changes.map((e) => e.run))) yield* turns.filter((t) => t.run === run);
    },
    note(more) {
      events.push(...more);
    },
    async close() {},
  };
}
