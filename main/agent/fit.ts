import type { LongText } from '#domain/events/index.ts';
import type { ContextMessage } from '#projections/model-context/model-context.ts';
import { estimateTokens } from './context.ts';

/** What is left of a result or an argument that gave way. */
const KEPT_CHARS = 400;
/** What an image costs at usual providers, roughly. */
const IMAGE_TOKENS = 1000;
/** A run that is too long is brought down to this part of its budget, so that it does not have to give way at every step (and a provider's cache of the beginning holds). */
const DOWN_TO = 0.6;

/**
 * Where to shorten a run so that a request fits: messages before the returned index give way
 * ({@link shortened}), those from it on stay whole. Never goes back, and never reaches the newest reply
 * with its results. Tokens are estimated.
 */
export function fitFrom(messages: readonly ContextMessage[], from: number, budget: number): number {
  if (tokens(shortened(messages, from)) <= budget) return from;
  const newest = messages.findLastIndex((m) => m.role === 'assistant');
  let left = budget * DOWN_TO;
  let at = messages.length;
  while (at > from && left > 0) left -= tokens([messages[--at]!]);
  return Math.max(from, Math.min(at + 1, newest));
}

/** Messages as they are sent: what tools returned before `from`, and long arguments, cut to their beginning and said to be. What people and the partner said stays whole. */
export function shortened(messages: readonly ContextMessage[], from: number): readonly ContextMessage[] {
  if (from <= 0) return messages;
  return messages.map((m, i) => {
    if (i >= from) return m;
    if (m.role === 'tool') return charsOf(m.text) <= KEPT_CHARS ? { ...m, images: [] } : { ...m, images: [], text: { text: `${headOf(m.text)}\n[${charsOf(m.text) - KEPT_CHARS} more characters are no longer shown, to save room. Call the tool again if you need them.]` } };
    if (m.role === 'user') return m;
    // The field stays: a provider that streams reasoning refuses a turn without it.
    const reasoning = m.reasoning && charsOf(m.reasoning) > KEPT_CHARS ? { text: headOf(m.reasoning) } : m.reasoning;
    return { ...m, reasoning, calls: m.calls.map((c) => (charsOf(c.args) <= KEPT_CHARS * 4 ? c : { ...c, args: { text: JSON.stringify({ shortened: `${headOf(c.args)}… (${charsOf(c.args)} characters)` }) } })) };
  });
}

function tokens(messages: readonly ContextMessage[]): number {
  return messages.reduce((n, m) => n + tokensOf(m.text) + (m.role === 'tool' ? m.images.length * IMAGE_TOKENS : 0) + (m.role === 'assistant' ? (m.reasoning ? tokensOf(m.reasoning) : 0) + m.calls.reduce((k, c) => k + estimateTokens(c.name) + tokensOf(c.args), 0) : 0), 0);
}

/** A text that lies in a blob is weighed by its beginning. */
function tokensOf(text: LongText): number {
  return 'text' in text ? estimateTokens(text.text) : Math.ceil((estimateTokens(text.head) / Math.max(1, text.head.length)) * text.chars);
}

function charsOf(text: LongText): number {
  return 'text' in text ? text.text.length : text.chars;
}

function headOf(text: LongText): string {
  return ('text' in text ? text.text : text.head).slice(0, KEPT_CHARS).toWellFormed();
}
