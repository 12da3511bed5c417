import OpenAI from 'openai';
import type { ProviderTest } from '#main/api/views.ts';
import type { Clock } from '#main/ports/clock.ts';
import { createClient } from './client.ts';
import { failureOf, HeadTimeout } from './failure.ts';

const TEST_MS = 15_000;

/** Answered, but not as this kind of service answers: a web page, a log-in form. */
class NotTheService extends Error {}

/**
 * Tries a provider hop by hop and says which one failed: address, name lookup, connection, TLS, HTTP,
 * key, model. Sends nothing of the person's: a model list, then one token of the word “ping”.
 */
export async function testProvider(options: { readonly baseUrl: string; readonly key: string; readonly model: string | null; readonly clock: Clock }): Promise<ProviderTest> {
  const client = createClient({ ...options, timeoutMs: TEST_MS });
  const stop = new AbortController();
  const cancel = options.clock.after(TEST_MS, () => stop.abort());
  let models: string[] = [];
  try {
    try {
      models = await listModels(client, stop.signal);
    } catch (cause) {
      const failed = hopOf(cause);
      // Some providers have no model list; anything else before HTTP is final.
      if (failed.hop !== 'http' || !options.model) return { ...failed, models };
    }
    const model = options.model ?? models[0];
    if (!model) return { ok: true, hop: 'done', status: 200, models, detail: null };
    try {
      await ping(client, model, stop.signal);
      return { ok: true, hop: 'done', status: 200, models, detail: null };
    } catch (cause) {
      const failed = hopOf(cause);
      return { ...failed, hop: failed.status === 404 || failed.status === 400 ? 'model' : failed.hop, models };
    }
  } finally {
    cancel();
  }

  function hopOf(cause: unknown): Omit<ProviderTest, 'models'> {
    const failure = failureOf(stop.signal.aborted ? new HeadTimeout(`no answer within ${TEST_MS} ms`) : cause, { signal: null, key: options.key, now: options.clock.now() });
    const detail = failure.detail ?? null;
    const status = failure.status ?? null;
    if (status === 401 || status === 403) return { ok: false, hop: 'key', status, detail };
    if (status !== null || cause instanceof NotTheService || cause instanceof SyntaxError) return { ok: false, hop: 'http', status, detail };
    const code = errorCodeOf(cause);
    const hop = /ENOTFOUND|EAI_AGAIN/.test(code) ? 'dns' : /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(code) ? 'tls' : 'connect';
    return { ok: false, hop, status, detail: code ? `${detail ?? ''} [${code}]`.trim() : detail };
  }
}

/** Asked in the raw: the SDK turns whatever answers into an empty list. */
async function listModels(client: OpenAI, signal: AbortSignal): Promise<string[]> {
  const body = await client.get<{ data?: unknown } | null>('/models', { signal });
  const list = Array.isArray(body) ? (body as unknown[]) : body?.data;
  if (!Array.isArray(list)) throw new NotTheService('the answer is no list of models');
  return list.map((m) => (m as { id?: unknown } | null)?.id).filter((id) => typeof id === 'string').slice(0, 500);
}

/** The smallest question. Newer models know the limit by another name only, and need room to think. */
async function ping(client: OpenAI, model: string, signal: AbortSignal): Promise<void> {
  const ask = async (limit: { max_tokens: number } | { max_completion_tokens: number }) => {
    const reply = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'ping' }], ...limit }, { signal });
    if (!Array.isArray(reply.choices)) throw new NotTheService('the answer is no reply of a model');
  };
  try {
    await ask({ max_tokens: 1 });
  } catch (cause) {
    if (!(cause instanceof OpenAI.APIError) || cause.status !== 400 || !/max_completion_tokens/.test(cause.message)) throw cause;
    await ask({ max_completion_tokens: 64 });
  }
}

/** The system's code behind a fetch failure, however deep it lies. */
function errorCodeOf(cause: unknown): string {
  for (let at: unknown = cause, depth = 0; at && depth < 6; depth++) {
    const { code, cause: next } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && /^[A-Z_0-9]+$/.test(code)) return code;
    at = next;
  }
  return '';
}
