import type { ConversationPush, LiveDraft } from '#main/api/views.ts';
import type { EventLog } from '#main/log/types.ts';
import type { PartnerCore } from './core.ts';
import type { History } from './history.ts';
import { toWire } from './wire-event.ts';

/** A follower further behind than this many events gets a page instead of them. */
const NEAR = 2000;
const PAGE_TURNS = 20;

/** Where a follower can resume: this installation's origin and its last acknowledged seq, as `origin:seq`. */
export function cursorOf(log: EventLog): string {
  return `${log.origin}:${headOf(log)}`;
}

/** What a new follower gets first: the events since its cursor when that is near, else the newest page and the live text. */
export async function firstPush({ log, history }: Pick<PartnerCore, 'log' | 'history'>, from: string | null, live: LiveDraft | null): Promise<{ readonly push: ConversationPush; readonly cursor: string; readonly seq: number }> {
  const own = /^(origin_[a-z2-7]{26}):(\d+)$/.exec(from ?? '');
  const seq = headOf(log);
  const cursor = `${log.origin}:${seq}`;
  if (own?.[1] === log.origin && seq - Number(own[2]) <= NEAR && Number(own[2]) <= seq) {
    const events = [];
    for await (const event of log.read(log.origin, Number(own[2]) + 1, seq)) events.push(toWire(event));
    return { push: { kind: 'events', events }, cursor, seq };
  }
  return { push: { kind: 'page', page: await history.page({ limit: PAGE_TURNS }), drafts: live ? [live] : [] }, cursor, seq };
}

/** The newest page, as of an instant at which nothing was being added: an older page must never follow newer events. */
export async function pageOfNow({ log, history }: Pick<PartnerCore, 'log' | 'history'>): ReturnType<History['page']> {
  for (;;) {
    const before = cursorOf(log);
    const page = await history.page({ limit: PAGE_TURNS });
    if (cursorOf(log) === before) return page;
  }
}

function headOf(log: EventLog): number {
  return log.head().moment[log.origin] ?? 0;
}
