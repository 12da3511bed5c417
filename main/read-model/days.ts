import type { OriginId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import type { EventLog } from '#main/log/types.ts';
import { countWhile } from './fixed-file.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A local day on which something happened. */
export interface DayView {
  /** YYYY-MM-DD in the time zone asked for. */
  readonly day: string;
  /** The partner as it was at that day's end. */
  readonly end: Moment;
}

/**
 * The partner as it was at a time (ms since 1970): of each origin the events whose label is not later,
 * within a moment (default: the head). A binary search over the log itself; `at` is a label, so where a
 * clock went back the answer is one of the moments that carry that time.
 */
export async function momentAt(log: EventLog, until: number, within: Moment = log.head().moment): Promise<Moment> {
  const moment: Record<string, number> = {};
  for (const [origin, last] of Object.entries(within) as [OriginId, number][]) {
    const seq = await countWhile(last, async (i) => (await timeOf(log, origin, i + 1)) <= until);
    if (seq > 0) moment[origin] = seq;
  }
  return moment as Moment;
}

/**
 * Days with events, newest first, for going to a past day. Each costs a few reads whatever the length of
 * the history; the consumer stops when it has enough.
 *
 * @param offset minutes east of UTC
 */
export async function* daysOf(log: EventLog, offset: number): AsyncGenerator<DayView> {
  for (let end = log.head().moment; ; ) {
    let newest = -Infinity;
    for (const [origin, seq] of Object.entries(end) as [OriginId, number][]) newest = Math.max(newest, await timeOf(log, origin, seq));
    if (newest === -Infinity) return;
    const local = Math.floor((newest + offset * MINUTE) / DAY) * DAY;
    yield { day: new Date(local).toISOString().slice(0, 10), end };
    // What it returns ends before that day, so every step is one towards the start, whatever the clocks did.
    end = await momentAt(log, local - offset * MINUTE - 1, end);
  }
}

async function timeOf(log: EventLog, origin: OriginId, seq: number): Promise<number> {
  for await (const event of log.read(origin, seq, seq)) return Date.parse(event.at);
  return Infinity;
}
