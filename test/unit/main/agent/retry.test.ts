import { describe, expect, test } from 'vitest';
import { classifyLlmRetry, retryDelayMs, type RetryClass } from '#main/agent/retry.ts';
import type { ModelFailure } from '#main/model/types.ts';

const status = (n: number, providerCode?: string): ModelFailure => ({ kind: 'status', code: 'x', status: n, ...(providerCode ? { providerCode } : {}) });
const said = (providerCode?: string): ModelFailure => ({ kind: 'provider', code: 'x', ...(providerCode ? { providerCode } : {}) });

describe('[WB-COMPOSER-015-B1] what is tried again', () => {
  test.each<[string, ModelFailure, RetryClass]>([
    ['a stop', { kind: 'stopped', code: 'x' }, 'never'], ['a lost connection', { kind: 'connection', code: 'x' }, 'short'], ['a timeout', { kind: 'timeout', code: 'x' }, 'short'], ['a stream that is no JSON', { kind: 'protocol', code: 'x' }, 'short'],
    ['408', status(408), 'short'], ['429', status(429), 'rate'], ['500', status(500), 'short'], ['502', status(502), 'short'], ['503 overloaded', status(503, 'overloaded_error'), 'rate'], ['599', status(599), 'short'],
    ['429 without quota', status(429, 'insufficient_quota'), 'never'], ['429 without balance', status(429, 'InsufficientBalance'), 'never'], ['429 ResourceExhausted', status(429, 'ResourceExhausted'), 'rate'],
    ['400', status(400), 'never'], ['400 rate limit', status(400, 'rate_limit_exceeded'), 'rate'], ['401', status(401), 'never'], ['402', status(402), 'never'], ['403', status(403), 'never'], ['404', status(404), 'never'], ['409', status(409), 'never'], ['413', status(413), 'never'], ['422', status(422), 'never'],
    ['a server error in the stream', said('server_error'), 'short'], ['a rate limit in the stream', said('rate_limit_exceeded'), 'rate'], ['an overload in the stream', said('overloaded_error'), 'rate'], ['a filter in the stream', said('content_filter'), 'never'], ['an unknown code in the stream', said('odd'), 'never'], ['no code in the stream', said(), 'never'],
  ])('%s', (_what, failure, kind) => expect(classifyLlmRetry(failure)).toBe(kind));

  test('a text that only sounds like a limit decides nothing', () => {
    expect(classifyLlmRetry({ kind: 'status', code: 'x', status: 400, detail: 'rate limit exceeded, try again, 429' })).toBe('never');
  });
});

describe('[WB-COMPOSER-015-B3] how long it waits', () => {
  const nominal = (kind: 'rate' | 'short') => [1, 2, 3, 4, 5].map((n) => retryDelayMs(kind, n, undefined, 0.5));
  test('a rate limit doubles from 2 s to 15 s, a lost connection from 0.5 s to 4 s', () => {
    expect(nominal('rate')).toEqual([2000, 4000, 8000, 15000, 15000]);
    expect(nominal('short')).toEqual([500, 1000, 2000, 4000, 4000]);
  });
  test('chance moves it by a tenth at most, and never past 15 s', () => {
    expect([0, 1].map((unit) => retryDelayMs('rate', 1, undefined, unit))).toEqual([1800, 2200]);
    expect(retryDelayMs('rate', 5, undefined, 1)).toBe(15000);
  });
  test('the provider’s own wish counts when it is longer, up to 15 s', () => {
    expect([100, 9000, 3_600_000].map((wish) => retryDelayMs('rate', 1, wish, 0.5))).toEqual([2000, 9000, 15000]);
  });
});
