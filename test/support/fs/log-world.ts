import { draft, partnerEvents, type EventDraft } from '#domain/events/index.ts';
import type { EventId, Hash, OriginId, RunId } from '#domain/ids.ts';
import { openEventLog, type OpenLogOptions } from '#main/log/open.ts';
import type { EventLog } from '#main/log/types.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { newId, type Random } from '#main/ports/random.ts';

/** A clock that stands where it is put. */
export function fixedClock(now = Date.UTC(2026, 0, 1)): Clock & { set(to: number): void } {
  let at = now;
  return { now: () => at, after: () => () => undefined, set: (to) => void (at = to) };
}

/** The same bytes for the same seed. */
export function seeded(seed: number): Random & { below(n: number): number } {
  let state = (seed * 2654435761 + 1) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  return { bytes: (count) => Uint8Array.from({ length: count }, () => next() & 255), below: (n) => next() % n };
}

export const runOf = (random: Random): RunId => newId(random, 'run');

export function message(text: string, run: RunId | null = null): EventDraft {
  return draft(partnerEvents.MessageSent, { text: { text }, attachments: [], channel: 'window' }, { actor: 'person', run });
}

export function checkpoint(text: string, run: RunId | null = null): EventDraft {
  return draft(partnerEvents.DraftCheckpointed, { call: 1, text }, { actor: 'partner', run });
}

export function named(name: string): EventDraft {
  return draft(partnerEvents.PartnerRenamed, { name }, { actor: 'person' });
}

export function erased(origin: OriginId, from: number, to: number): EventDraft {
  return draft(partnerEvents.ContentErased, { ranges: [{ origin, from, to }], reason: 'clear' }, { actor: 'person' });
}

/** An event that needs a blob. */
export function told(hash: Hash): EventDraft {
  return draft(partnerEvents.ModelAsked, { call: 1, told: hash, messages: 1 }, { actor: 'host' });
}

let lives = 0;
export async function openLog(fs: FsPort, dir: string, more: Partial<OpenLogOptions> = {}): Promise<EventLog> {
  const opened = await openEventLog({ dir, kind: 'partner', fs, clock: fixedClock(), random: seeded(++lives * 7919), machine: 'm1', ...more });
  if (!opened.ok) throw new Error(`${opened.error.code} ${JSON.stringify(opened.error.params)} ${opened.error.detail ?? ''}`);
  return opened.value;
}

export async function idsOf(log: EventLog): Promise<EventId[]> {
  const ids: EventId[] = [];
  for await (const event of log.readMerged()) ids.push(event.id);
  return ids;
}

/** Appends and returns the ids, or the failure's code. */
export async function appendIds(log: EventLog, drafts: readonly EventDraft[], options?: { readonly durable?: boolean }): Promise<EventId[] | string> {
  const done = await log.append(drafts, options).durable;
  return done.ok ? done.value.map((e) => e.id) : done.error.code;
}
