import type { ModelFailure } from '#main/model/types.ts';

/** Provider codes that mean “too many or too busy, later”: retried with long back-off (WB-COMPOSER-015-B3). */
const RATE = /rate[_-]?limit|too[_-]?many|overloaded|capacity|resource[_-]?exhausted|server[_-]?busy|throttl/i;
/** Codes that no retry can mend: money, key, model, content (WB-SESSION-007-AC1 names them as settled failures). */
const SETTLED = /insufficient|quota|balance|billing|payment|arrears|invalid[_-]?api|authentication|permission|not[_-]?found|content[_-]?filter/i;

/** How a failed model call goes on. `rate`: 2 s doubling to 15 s; `short`: 0.5 s doubling to 4 s. */
export type RetryClass = 'rate' | 'short' | 'never';

/**
 * Decides on structured signals only: status, provider code, kind of connection fault
 * (WB-COMPOSER-015-B1). Texts are never matched.
 */
export function classifyLlmRetry(failure: ModelFailure): RetryClass {
  const code = failure.providerCode ?? '';
  switch (failure.kind) {
    case 'stopped': return 'never';
    case 'timeout':
    case 'connection':
    case 'protocol': return 'short';
    case 'status': {
      const status = failure.status ?? 0;
      if (SETTLED.test(code) || status === 402) return 'never';
      if (status === 429) return 'rate';
      if (status === 408) return 'short';
      if (status >= 500) return RATE.test(code) ? 'rate' : 'short';
      return RATE.test(code) ? 'rate' : 'never';
    }
    case 'provider':
      if (SETTLED.test(code)) return 'never';
      return RATE.test(code) ? 'rate' : /server|internal|timeout|unavailable/i.test(code) ? 'short' : 'never';
  }
}

/** Delay before retry number `attempt` (1-based), in milliseconds. A provider's own wish counts up to the cap. */
export function retryDelayMs(kind: Exclude<RetryClass, 'never'>, attempt: number, retryAfterMs: number | undefined, unit: number): number {
  const [start, cap] = kind === 'rate' ? [2000, 15000] : [500, 4000];
  const own = Math.min(cap, start * 2 ** (attempt - 1));
  // ±10 % so that several partners do not knock in step.
  const jittered = own * (0.9 + 0.2 * unit);
  return Math.min(Math.max(jittered, retryAfterMs ?? 0), Math.max(cap, 15000));
}
