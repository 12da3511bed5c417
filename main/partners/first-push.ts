import type { ConversationPage, ConversationPush } from '#main/api/views.ts';
import type { PartnerCore } from './core.ts';
import { toWire } from './wire-event.ts';

/** A follower further behind than this many events gets a page instead of them. */
const NEAR = 2000;
const PAGE_TURNS = 20;

/** A partner as its followers see it. */
export interface Followed extends Pick<PartnerCore, 'log' | 'history'> {
  /** The last seq of this installation's origin that followers were shown: a little behind the log's head, never before it. */
  readonly published: number;
  /** Changes whenever something that was shown may have been taken back. */
  readonly stretch: string;
}

/**
 * Where a follower can resume: this installation's origin, the last seq that was shown, and the stretch in which it
 * was, as `origin:seq:stretch`. Checkpoints are shown before they are durable: what a cut or a kill takes back, other
 * events may follow under the same numbers, so a cursor counts in its own stretch only.
 */
export function cursorOf(partner: Followed, seq: number): string {
  return `${partner.log.origin}:${seq}:${partner.stretch}`;
}

/** What a new follower gets first: the events since its cursor when that is near, else the newest page. Either holds everything up to `seq` and nothing after it. */
export async function firstPush(partner: Followed, from: string | null): Promise<{ readonly push: ConversationPush; readonly seq: number }> {
  const own = /^(origin_[a-z2-7]{26}):(\d+):(\w+)$/.exec(from ?? '');
  const since = own?.[1] === partner.log.origin && own[3] === partner.stretch ? Number(own[2]) : null;
  const seq = partner.published;
  if (since !== null && since <= seq && seq - since <= NEAR) {
    const events = [];
    for await (const event of partner.log.read(partner.log.origin, since + 1, seq)) if (event.type !== 'ModelAsked') events.push(toWire(event));
    return { push: { kind: 'events', events }, seq };
  }
  const now = await pageOfNow(partner);
  return { push: { kind: 'page', page: now.page }, seq: now.seq };
}

/** The newest page and the seq up to which it holds everything: an older page must never be followed by newer events as if it had none of them. */
export async function pageOfNow(partner: Followed): Promise<{ readonly page: ConversationPage; readonly seq: number }> {
  const { log, history } = partner;
  const head = () => log.head().moment[log.origin] ?? 0;
  const before = partner.published;
  const page = await history.page({ limit: PAGE_TURNS });
  if (partner.published === before && head() === before) return { page, seq: before };
  // Something came while it was read, as it does in a busy run: the page as of one moment costs a little more and does not move.
  const seq = partner.published;
  return { page: await history.page({ limit: PAGE_TURNS, asOf: { ...log.head().moment, [log.origin]: seq } }), seq };
}
