import { afterEach, expect, test, vi } from 'vitest';
import { realClock } from '#main/ports/real.ts';
import { createOpenAiModel } from '#main/model/openai/openai-model.ts';
import { testProvider } from '#main/model/openai/test-provider.ts';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;
afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.close();
});
const request = { model: 'fake', system: 's', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] };

test.each<[string, string | undefined]>([['sk-mine', 'Bearer sk-mine'], ['', undefined]])('[I13] a request says who asks by the provider’s own key and nothing else (key “%s”)', async (key, authorization) => {
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'X-Canary: 1\nAuthorization: Bearer canary\nX-Forwarded-For: canary');
  for (const name of ['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_BASE_URL', 'OPENAI_WEBHOOK_SECRET']) vi.stubEnv(name, 'canary');
  fake = await startFakeOpenAI({ models: ['fake'], turns: [{ times: 'always', steps: [{ text: 'ok' }] }] });
  const model = createOpenAiModel({ baseUrl: fake.baseURL, key, headTimeoutMs: 10_000, idleTimeoutMs: 10_000, clock: realClock });
  expect(await model.complete(request, () => undefined, new AbortController().signal)).toMatchObject({ ok: true, value: { text: 'ok' } });
  expect(await testProvider({ baseUrl: fake.baseURL, key, model: 'fake', clock: realClock })).toMatchObject({ ok: true });
  expect(fake.requests).toHaveLength(2);
  for (const { headers } of fake.requests) {
    expect(headers['authorization']).toBe(authorization);
    expect(JSON.stringify(headers)).not.toMatch(/canary|stainless|openai/i);
  }
});
