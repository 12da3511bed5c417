import OpenAI from 'openai';
import type { ModelFailure } from '../types.ts';

/** Our own: the stream ended without saying so, or broke off (the SDK throws nothing, or a bare TypeError). */
export class StreamLost extends Error {}
/** Our own: nothing came for too long after the head (the SDK's timeout ends with the head). */
export class IdleTimeout extends Error {}

/**
 * Turns whatever the SDK throws into a failure with structured signals. The order matters: a timeout
 * is a subclass of a connection error (research/agent.md §1).
 */
export function failureOf(cause: unknown, signal: AbortSignal): ModelFailure {
  const detail = describe(cause);
  if (signal.aborted || cause instanceof OpenAI.APIUserAbortError) return { kind: 'stopped', code: 'run.stopped' };
  if (cause instanceof IdleTimeout) return { kind: 'timeout', code: 'model.idle', detail };
  if (cause instanceof OpenAI.APIConnectionTimeoutError) return { kind: 'timeout', code: 'model.timeout', detail };
  if (cause instanceof StreamLost) return { kind: 'connection', code: 'model.lost', detail };
  if (cause instanceof OpenAI.APIConnectionError) return { kind: 'connection', code: 'model.unreachable', detail };
  if (cause instanceof OpenAI.APIError) {
    const providerCode = text(cause.code) ?? text(cause.type);
    if (cause.status === undefined) return { kind: 'provider', code: 'model.provider', detail, ...(providerCode ? { providerCode } : {}) };
    const retryAfterMs = retryAfter(cause.headers);
    return {
      kind: 'status', code: codeOfStatus(cause.status), status: cause.status, detail,
      ...(providerCode ? { providerCode } : {}), ...(retryAfterMs !== undefined ? { retryAfterMs } : {}),
    };
  }
  // Bad JSON in the stream, or a reset in the middle of it.
  if (cause instanceof SyntaxError) return { kind: 'protocol', code: 'model.badStream', detail };
  return { kind: 'connection', code: 'model.lost', detail };
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'model.key';
  if (status === 402) return 'model.balance';
  if (status === 404) return 'model.notFound';
  if (status === 413) return 'model.tooLong';
  if (status === 429) return 'model.busy';
  return status >= 500 ? 'model.server' : 'model.refused';
}

function retryAfter(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after-ms') ?? headers?.get('retry-after');
  if (!value) return undefined;
  const scale = headers?.get('retry-after-ms') ? 1 : 1000;
  const ms = Number(value) * scale;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

function text(x: unknown): string | undefined {
  return typeof x === 'string' && x !== '' ? x : undefined;
}

/** The provider's words, without anything that could be a key. */
function describe(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  const message = (cause instanceof Error ? cause.message : String(cause)) + inner;
  return message.replace(/\b(sk|key|Bearer)[-_ ][A-Za-z0-9_-]{8,}/g, '$1-…').slice(0, 4000).toWellFormed();
}
