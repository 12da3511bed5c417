import type { ModelChoice } from '#domain/events/index.ts';
import type { Model } from '#main/model/types.ts';
import { createOpenAiModel } from '#main/model/openai/openai-model.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { Secrets } from '#main/secrets/types.ts';
import type { AppProvider } from '#projections/app/app.ts';

export const HEAD_TIMEOUT_MS = 60_000;
export const IDLE_TIMEOUT_MS = 120_000;

/** The name under which a provider's key lies in the secret storage. */
export function keyName(provider: string): string {
  return `provider:${provider}`;
}

/** Models by choice: the embedded assistant, or a configured provider with its key. One client per provider and key. */
export function createModels(options: { readonly local: Model; readonly providers: () => readonly AppProvider[]; readonly secrets: Secrets; readonly clock: Clock }) {
  const clients = new Map<string, { readonly signature: string; readonly model: Model }>();
  return async (choice: ModelChoice): Promise<Model | null> => {
    if (choice.provider === 'local') return options.local;
    const provider = options.providers().find((p) => p.id === choice.provider);
    if (!provider) return null;
    const key = (await options.secrets.get(keyName(provider.id))) ?? '';
    const signature = `${provider.baseUrl}\n${key}`;
    const known = clients.get(provider.id);
    if (known?.signature === signature) return known.model;
    const model = createOpenAiModel({ baseUrl: provider.baseUrl, key, headTimeoutMs: HEAD_TIMEOUT_MS, idleTimeoutMs: IDLE_TIMEOUT_MS, clock: options.clock });
    clients.set(provider.id, { signature, model });
    return model;
  };
}
