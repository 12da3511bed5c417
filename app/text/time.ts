import { say, type Language } from '#domain/words/words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The sidebar's time: 刚刚 / N小时 / N天. A moment ahead of the clock counts as now. */
export function relativeTime(language: Language, at: string, now: number): string {
  const past = now - Date.parse(at);
  if (!(past >= HOUR)) return say(language, 'time.now');
  return past < DAY ? say(language, 'time.hours', { n: Math.floor(past / HOUR) }) : say(language, 'time.days', { n: Math.floor(past / DAY) });
}

/** The time bar above a message: 16:45, 昨天 16:45, 星期三 16:45, or YYYY/M/D 16:45 (WB-SESSION-013). */
export function barTime(language: Language, at: string, now: number): string {
  const then = new Date(at);
  const time = `${then.getHours()}:${String(then.getMinutes()).padStart(2, '0')}`;
  const days = Math.round((startOfDay(new Date(now)) - startOfDay(then)) / DAY);
  if (days === 0) return time;
  if (days === 1) return say(language, 'time.yesterday', { time });
  if (days > 1 && days < 7) return `${new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', { weekday: 'long' }).format(then)} ${time}`;
  return `${then.getFullYear()}/${then.getMonth() + 1}/${then.getDate()} ${time}`;
}

/** A bar stands above the first message, after half an hour of silence, and when the day changed. */
export function needsBar(previous: string | null, at: string): boolean {
  if (previous === null) return true;
  const before = new Date(previous);
  const then = new Date(at);
  return then.getTime() - before.getTime() >= 30 * MINUTE || startOfDay(before) !== startOfDay(then);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
