import OpenAI from 'openai';

/** All that a request to a provider needs to say of itself. */
const NEEDED = ['accept', 'content-type'];

/**
 * The SDK with everything of its own switched off: retries, logging, and what it takes from the
 * environment. `OPENAI_CUSTOM_HEADERS` cannot be refused by an option and would ride along to any
 * provider, as would the names of system and runtime; so the headers are made anew in front of `fetch`.
 */
export function createClient(options: { readonly baseUrl: string; readonly key: string; readonly timeoutMs: number }): OpenAI {
  const { baseUrl, key, timeoutMs } = options;
  return new OpenAI({
    baseURL: baseUrl, apiKey: key || 'none', adminAPIKey: null, organization: null, project: null, webhookSecret: null, maxRetries: 0, timeout: timeoutMs, logLevel: 'off',
    fetch: (input, init) => {
      const given = new Headers(init?.headers);
      const headers = new Headers();
      for (const name of NEEDED) if (given.has(name)) headers.set(name, given.get(name) ?? '');
      headers.set('user-agent', 'Curator');
      // A server that needs no key is told none.
      if (key) headers.set('authorization', `Bearer ${key}`);
      return fetch(input as string | URL | Request, { ...init, headers });
    },
  });
}
