import type { ModelChoice } from '#domain/events/index.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Model } from '#main/model/types.ts';
import { createOpenAiModel } from '#main/model/openai/openai-model.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { Secrets } from '#main/secrets/types.ts';
import type { AppProvider } from '#projections/app/app.ts';

export const HEAD_TIMEOUT_MS = 60_000;
export const IDLE_TIMEOUT_MS = 120_000;

/** The name under which a provider's key lies in the secret storage. The origin is part of it: a key never goes to another one, whatever becomes of the address. */
export function keyName(provider: string, baseUrl: string): string {
  return `provider:${provider} ${new URL(baseUrl).origin}`;
}

/** Models by choice: the embedded assistant, or a configured provider with its key. One client per provider and key. Codes: model.missing, secrets.*. */
export function createModels(options: { readonly local: Model; readonly providers: () => readonly AppProvider[]; readonly secrets: Secrets; readonly clock: Clock }) {
  const clients = new Map<string, { readonly signature: string; readonly model: Model }>();
  return async (choice: ModelChoice): Promise<Result<Model>> => {
    if (choice.provider === 'local') return ok(options.local);
    const provider = options.providers().find((p) => p.id === choice.provider);
    if (!provider) return fail('model.missing', { model: choice.model });
    const kept = await options.secrets.get(keyName(provider.id, provider.baseUrl));
    if (!kept.ok) return kept;
    // Told to have one, and it is not where it belongs: another store had it. Asking without it would only bring a 401.
    if (provider.hasKey && kept.value === null) return fail('secrets.unreadable');
    const key = kept.value ?? '';
    const signature = `${provider.baseUrl}\n${key}`;
    const known = clients.get(provider.id);
    if (known?.signature === signature) return ok(known.model);
    const model = createOpenAiModel({ baseUrl: provider.baseUrl, key, headTimeoutMs: HEAD_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS, clock: options.clock });
    clients.set(provider.id, { signature, model });
    return ok(model);
  };
}
