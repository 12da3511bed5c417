import { appEvents, draft } from '#domain/events/index.ts';
import type { ProviderId } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { ProviderView } from '#main/api/views.ts';
import type { Handlers } from '#main/api/wire.ts';
import { testProvider } from '#main/model/openai/test-provider.ts';
import { newId } from '#main/ports/random.ts';
import type { AppProvider } from '#projections/app/app.ts';
import { keyName } from './models.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<Handlers<WorkbenchService>, 'provider.add' | 'provider.change' | 'provider.remove' | 'provider.test'>;

/** Model providers. Keys go to the host's secret storage before the fact that says there is one; they never come back out. */
export function providerHandlers(workbench: Workbench): Part {
  const { app, options } = workbench;
  const { secrets } = options.host;

  /** The key first, under its own origin's name, then the fact, then the key that nothing uses any more: a kill in between loses nothing and tells no key to a stranger. */
  async function store(type: 'ProviderAdded' | 'ProviderChanged', id: ProviderId, input: { name: string; baseUrl: string; models: readonly string[]; key?: string | undefined }, known?: AppProvider): Promise<Result<ProviderView, Failure>> {
    const baseUrl = cleanUrl(input.baseUrl);
    if (!baseUrl) return fail('provider.badUrl', { url: input.baseUrl });
    const slot = keyName(id, baseUrl);
    const before = known ? keyName(id, known.baseUrl) : slot;
    const key = input.key?.trim();
    if (key !== undefined) {
      const kept = await secrets.set(slot, key);
      if (!kept.ok) return kept;
    }
    const hasKey = key === undefined ? slot === before && known?.hasKey === true : key !== '';
    const view = { id, name: input.name, baseUrl, models: [...new Set(input.models.map((m) => m.trim()).filter(Boolean))], hasKey };
    const { id: provider, ...rest } = view;
    const done = await app.commit([draft(appEvents[type], { provider, ...rest }, { actor: 'person' })]);
    if (!done.ok) return done;
    const forgotten = slot === before ? ok() : await secrets.set(before, '');
    return forgotten.ok ? ok(view) : forgotten;
  }

  return {
    async 'provider.add'(input, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      return store('ProviderAdded', newId(options.random, 'provider'), input);
    },
    async 'provider.change'(input, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const known = app.state.providers.find((p) => p.id === input.provider);
      return known ? store('ProviderChanged', known.id, input, known) : fail('provider.unknown');
    },
    async 'provider.remove'({ provider }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const known = app.state.providers.find((p) => p.id === provider);
      if (!known) return fail('provider.unknown');
      const done = await app.commit([draft(appEvents.ProviderRemoved, { provider }, { actor: 'person' })]);
      if (!done.ok) return done;
      const gone = await secrets.set(keyName(provider, known.baseUrl), '');
      return gone.ok ? ok(await workbench.view()) : gone;
    },
    async 'provider.test'({ provider, baseUrl, key, model }) {
      const known = provider ? app.state.providers.find((p) => p.id === provider) : undefined;
      if (provider && !known) return fail('provider.unknown');
      const url = cleanUrl(baseUrl ?? known?.baseUrl ?? '');
      if (!url) return fail('provider.badUrl', { url: baseUrl ?? '' });
      // A stored key is only ever sent to the origin it was stored for.
      const stored = known && key === undefined ? await secrets.get(keyName(known.id, url)) : ok(null);
      if (!stored.ok) return stored;
      return ok(await testProvider({ baseUrl: url, key: key ?? stored.value ?? '', model: model ?? known?.models[0] ?? null, clock: options.clock }));
    },
  };
}

/** http(s) only, no user or password in it, no trailing slash; null otherwise. */
function cleanUrl(text: string): string | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password) return null;
  url.hash = '';
  return url.href.replace(/\/+$/, '');
}
