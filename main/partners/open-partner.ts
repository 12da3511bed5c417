import { join } from 'node:path';
import type { Hash, PartnerId } from '#domain/ids.ts';
import { ok, type Result } from '#domain/result.ts';
import { openEventLog } from '#main/log/open.ts';
import type { EventLog } from '#main/log/types.ts';
import { inlineOf } from '#projections/conversation/turn.ts';
import type { History } from './history.ts';
import { Partner } from './partner.ts';
import { settleAfterCrash } from './settle.ts';
import { stateOf } from './state-of.ts';
import type { PartnerDeps } from './types.ts';

export interface OpenPartnerOptions {
  readonly id: PartnerId;
  /** `partners/<id>` in the data folder. */
  readonly dir: string;
  readonly machine: string;
  readonly anchors: Readonly<Record<string, { readonly seq: number; readonly h: Hash }>>;
  readonly deps: PartnerDeps;
  readonly openHistory: (options: { readonly dir: string; readonly log: EventLog }) => Promise<History>;
  readonly changed: (partner: Partner) => void;
}

/** Opens one partner from the end of its log, settles what a crash left open, and marks a run that died. */
export async function openPartner(options: OpenPartnerOptions): Promise<Result<Partner>> {
  const { deps, dir, id } = options;
  const log = await openEventLog({ dir, kind: 'partner', fs: deps.fs, clock: deps.clock, random: deps.random, machine: options.machine, anchors: options.anchors });
  if (!log.ok) return log;
  const history = await options.openHistory({ dir, log: log.value });
  const state = await stateOf(history);
  const { turns } = await history.page({ limit: 1 });
  const newest = turns.at(-1);
  const message = newest ? inlineOf({ text: newest.message.text }).text.slice(0, 200).toWellFormed() : null;
  const at = newest?.at ?? (await firstAt(log.value)) ?? new Date(deps.clock.now()).toISOString();
  const partner = new Partner({ id, log: log.value, history }, deps, state, { message, at }, options.changed);
  await settleAfterCrash(partner);
  return ok(partner);
}

/** When the partner was created. */
async function firstAt(log: EventLog): Promise<string | null> {
  for await (const event of log.read(log.origin, 1, 1)) return event.at;
  return null;
}

/** Where a partner's log, caches and recovered tails lie. */
export function partnerDir(dataDir: string, id: PartnerId): string {
  return join(dataDir, 'partners', id);
}
