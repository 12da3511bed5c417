import OpenAI from 'openai';
import type { ModelFailure } from '../types.ts';

/** Our own: the stream ended without saying so, or broke off (the SDK throws nothing, or a bare TypeError). */
export class StreamLost extends Error {}
/** Our own: nothing came for too long after the head (the SDK's timeout ends with the head). */
export class IdleTimeout extends Error {}
/** Our own: no response head in time, by our clock. */
export class HeadTimeout extends Error {}

/** What a failure is read with: whether the person stopped, which key must not be repeated, and the time. */
export interface FailureContext {
  readonly signal: AbortSignal | null;
  readonly key: string;
  readonly now: number;
}

/**
 * Turns whatever the SDK throws into a failure with structured signals. The order matters: a timeout
 * is a subclass of a connection error (research/agent.md §1).
 */
export function failureOf(cause: unknown, context: FailureContext): ModelFailure {
  const detail = describe(cause, context.key);
  if (context.signal?.aborted) return { kind: 'stopped', code: 'run.stopped' };
  if (cause instanceof IdleTimeout) return { kind: 'timeout', code: 'model.idle', detail };
  if (cause instanceof HeadTimeout || cause instanceof OpenAI.APIConnectionTimeoutError) return { kind: 'timeout', code: 'model.timeout', detail };
  if (cause instanceof StreamLost) return { kind: 'connection', code: 'model.lost', detail };
  if (cause instanceof OpenAI.APIConnectionError) return { kind: 'connection', code: 'model.unreachable', detail };
  if (cause instanceof OpenAI.APIError) return ofProvider(cause, detail, context.now);
  // Bad JSON in the stream, or a reset in the middle of it.
  if (cause instanceof SyntaxError) return { kind: 'protocol', code: 'model.badStream', detail };
  return { kind: 'connection', code: 'model.lost', detail };
}

function ofProvider(cause: InstanceType<typeof OpenAI.APIError>, detail: string, now: number): ModelFailure {
  // Gateways put the status of the provider behind them into the code of an error inside the stream.
  const status = (cause.status as number | undefined) ?? statusIn(cause.code);
  const providerCode = [cause.code, cause.type].filter((x) => typeof x === 'string' && x !== '').join(' ');
  const named = providerCode ? { providerCode } : {};
  if (status === undefined) return { kind: 'provider', code: codeNamed(providerCode) ?? 'model.provider', detail, ...named };
  const retryAfterMs = retryAfter(cause.headers, now);
  return { kind: 'status', code: codeNamed(providerCode) ?? codeOfStatus(status), status, detail, ...named, ...(retryAfterMs !== undefined ? { retryAfterMs } : {}) };
}

function statusIn(code: unknown): number | undefined {
  const status = typeof code === 'number' || (typeof code === 'string' && /^\d{3}$/.test(code)) ? Number(code) : 0;
  return status >= 400 && status < 600 ? status : undefined;
}

/** What a provider's own code says better than its status: an empty balance often comes as 429, a long text as 400. */
function codeNamed(providerCode: string): string | null {
  if (/insufficient[_-]?(?:quota|balance)|balance|billing|arrears|payment/i.test(providerCode)) return 'model.balance';
  if (/context[_-]?length|context[_-]?window/i.test(providerCode)) return 'model.tooLong';
  if (/content[_-]?filter|content[_-]?policy/i.test(providerCode)) return 'model.filtered';
  return null;
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'model.key';
  if (status === 402) return 'model.balance';
  if (status === 404) return 'model.notFound';
  if (status === 413) return 'model.tooLong';
  if (status === 429) return 'model.busy';
  return status >= 500 ? 'model.server' : 'model.refused';
}

/** Milliseconds from `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const exact = headers?.get('retry-after-ms');
  const value = exact ?? headers?.get('retry-after');
  if (!value) return undefined;
  const number = Number(value) * (exact ? 1 : 1000);
  const ms = Number.isFinite(number) ? number : Date.parse(value) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

/** The provider's words, without this provider's key or anything else that could be one. */
function describe(cause: unknown, key: string): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  const message = (cause instanceof Error ? cause.message : String(cause)) + inner;
  const without = key.length >= 4 ? message.split(key).join('…') : message;
  return without.replace(/\b(sk|key|Bearer)[-_ ][A-Za-z0-9_-]{8,}/g, '$1-…').slice(0, 4000).toWellFormed();
}
