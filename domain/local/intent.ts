import { FORMS } from './forms.ts';
import type { Intent } from './types.ts';

export type { Intent };

const UNKNOWN: Intent = { do: 'unknown' };
const CHANGING = new Set<Intent['do']>(['create', 'createFolder', 'replace', 'append', 'rename', 'move', 'copy', 'trash', 'undo']);

const POLITE_START = /^(?:请问|请你|请|麻烦你|麻烦|帮我|帮忙|能不能|可不可以|可以|给我|please|could you|can you|would you|kindly|hey|now)(?:\s+|[，,]\s*)?/iu;
/** An opening that makes a question a wish: “can you delete a.md?” asks for it, “delete a.md?” asks whether. */
const ASKING_FOR = /^(?:请|麻烦|帮我|帮忙|能不能|可不可以|可以|please|could you|can you|would you|kindly)/iu;
const POLITE_END = /(?:[，,]?\s*(?:谢谢(?:你|您)?|好吗|可以吗|行吗|吗|吧|please|thanks|thank you))?[。.!！?？~～\s]*$/iu;
const ASKING_WHETHER = /(?:(?<![好以行])吗[。\s]*|[?？]\s*)$/u;

const QUESTION = /怎么(?!用)|如何|为什么|为何|什么是|是什么意思|多少度|^(?:how|why|when|who|what(?:'s| is| are| does))\b/iu;
const WEATHER = /天气|weather/iu;
const OWN_QUESTION = /^(?:what(?:'s| is| are| files).*(?:here|there|folder)|how do i use (?:this|you))/iu;
/** Marks of the person's own files (WA-INTENT-04): with one, a word of the wide world is only a search term. */
const OWN_FILES = /项目|工作区|文件|代码|project|workspace|folder|files?\b|\.[a-z0-9]{1,10}(?![a-z0-9])/iu;
/** Asks the web, which this assistant has not (WA-INTENT-09). */
const WIDE_WORLD = /最新|上网|网上|联网|百度|谷歌|新闻|\b(?:latest|newest|online|internet|google|web|news)\b/iu;
const QUOTED = /[“"「『‘`《][^”"」』’`》]*[”"」』’`》]/gu;
/** Two wishes, or two files, in what should be one name. */
const TWO_NAMES = /\.[A-Za-z0-9]{1,10}\s*(?:和|与|及|以及|、|然后|再|并|之后)|第[一二三四五六七八九十百\d]+个/u;

/** Reads one message. Full-width letters count as their plain forms; politeness at both ends is ignored. */
export function readIntent(message: string): Intent {
  const whole = message.normalize('NFC').trim();
  // Two sentences or lines are two wishes; guessing which one counts is how wrong things get done.
  if (/[\n\r]/.test(whole)) return UNKNOWN;
  let start = whole;
  for (let before = ''; before !== start; ) {
    before = start;
    start = start.replace(POLITE_START, '').trim();
  }
  const text = start.replace(POLITE_END, '').trim();
  if (text === '') return { do: 'help' };
  const own = OWN_FILES.test(text);
  // A question about the world is not a wish about files.
  if (QUESTION.test(text) && !OWN_QUESTION.test(text)) return UNKNOWN;
  if (WEATHER.test(text) && !own) return UNKNOWN;
  const intent = match(text);
  if ((intent.do === 'search' || intent.do === 'find') && WIDE_WORLD.test(text) && !own) return UNKNOWN;
  if ('path' in intent && intent.path !== null && TWO_NAMES.test(intent.do === 'append' || intent.do === 'create' ? intent.path : text.replace(QUOTED, ''))) return UNKNOWN;
  // A question is never a yes: only a wish put as one may change anything.
  if (CHANGING.has(intent.do) && ASKING_WHETHER.test(whole) && !ASKING_FOR.test(whole)) return UNKNOWN;
  return plainNames(wordForWord(intent, text, start));
}

/** Text that will be written and stands last is taken as typed: “好吧” and its full stop belong to it, unless quotes end it. */
function wordForWord(intent: Intent, text: string, typed: string): Intent {
  if (typed === text || (intent.do !== 'append' && intent.do !== 'create') || /[”"」』'’`]$/.test(text)) return intent;
  const content = intent.do === 'append' ? intent.text : intent.content;
  if (content === '' || !text.endsWith(content)) return intent;
  const again = match(typed);
  return again.do === intent.do ? again : intent;
}

/** Names typed full-width mean their plain forms; text that is searched for or written stays as typed. */
function plainNames(intent: Intent): Intent {
  if (!('path' in intent) || intent.path === null) return intent;
  const path = halfWidth(intent.path);
  switch (intent.do) {
    case 'rename': return { ...intent, path, name: halfWidth(intent.name) };
    case 'move':
    case 'copy': return { ...intent, path, to: halfWidth(intent.to) };
    default: return { ...intent, path };
  }
}

function match(text: string): Intent {
  const { joined, at } = joinHan(text);
  const plain = halfWidth(joined);
  for (const { pattern, make } of FORMS) {
    // English sentences need their spaces, Chinese ones are the same without.
    const spaced = pattern.exec(halfWidth(text));
    const m = spaced ?? pattern.exec(plain);
    if (!m) continue;
    const groups = (m.indices ?? []).slice(1).map((span) => {
      if (!span || span[0] === span[1]) return span ? '' : undefined;
      return spaced ? text.slice(span[0], span[1]) : text.slice(at[span[0]], (at[span[1] - 1] ?? 0) + 1);
    });
    return make(groups);
  }
  return UNKNOWN;
}

/** Full-width letters, digits and a few marks as typed on a Chinese keyboard; unit for unit, so that positions stay. */
function halfWidth(text: string): string {
  return text.replace(/[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0e\uff0f\uff3f\uff0d]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0));
}

/**
 * Spaces beside Chinese characters carry nothing for the form (“把 notes.md 里的 TODO 换成 DONE”), but
 * inside quotes every one counts. `at` says where each unit of `joined` stands in the text, since what is
 * taken from it is taken as typed.
 */
function joinHan(text: string): { joined: string; at: readonly number[] } {
  const quoted = [...text.matchAll(QUOTED)].map((m) => [m.index, m.index + m[0].length] as const);
  const dropped = new Set<number>();
  for (const m of text.matchAll(/(?<=\p{Script=Han})\s+|\s+(?=\p{Script=Han})/gu)) {
    if (quoted.some(([from, to]) => m.index >= from && m.index < to)) continue;
    for (let i = 0; i < m[0].length; i++) dropped.add(m.index + i);
  }
  const at = Array.from({ length: text.length }, (_, i) => i).filter((i) => !dropped.has(i));
  return { joined: at.map((i) => text[i]).join(''), at };
}
