import type { ModelChoice } from '#domain/events/index.ts';
import type { PartnerId } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { Connection } from '#main/api/client.ts';
import type { Command, CommandContext } from './context.ts';
import type { Exit } from './output.ts';

/**
 * The one that a word names: the one with this id, else the only one with this name (or of which `also` says so).
 * Never one of several. Codes: `kind`.unknown, `kind`.ambiguous.
 */
export function pick<T extends { readonly id: string; readonly name: string }>(kind: 'partner' | 'address' | 'provider', all: readonly T[], given: string, also: (one: T) => boolean = () => false): Result<T, Failure> {
  const byId = all.find((one) => one.id === given);
  if (byId) return ok(byId);
  const named = all.filter((one) => one.name === given || also(one));
  const [only] = named;
  return only && named.length === 1 ? ok(only) : fail(named.length > 1 ? `${kind}.ambiguous` : `${kind}.unknown`, { name: given });
}

/** A command whose first word is a partner. */
export function withPartner(run: (context: CommandContext, partner: PartnerId, rest: readonly string[]) => Promise<Exit>): Command['run'] {
  return async (context, [given = '', ...rest]) => {
    const list = await context.connection.call['partners.list']({});
    const partner = list.ok ? pick('partner', list.value, given) : list;
    return partner.ok ? run(context, partner.value.id, rest) : context.out.failure(partner.error);
  };
}

/** `local`, or `PROVIDER/MODEL` with the provider's id or name, or a model that one provider alone lists. Codes: cli.noModel, provider.ambiguous. */
export async function modelFrom(connection: Connection, text: string): Promise<Result<ModelChoice, Failure>> {
  if (text === 'local') return ok({ provider: 'local', model: 'local' } as ModelChoice);
  const app = await connection.call['app.view']({});
  if (!app.ok) return app;
  const { providers } = app.value;
  // Names may hold slashes, and so may models: the longest name that fits is meant.
  const before = [...text.matchAll(/\//g)].map((m) => text.slice(0, m.index)).reverse();
  for (const who of before) {
    const provider = pick('provider', providers, who);
    const model = text.slice(who.length + 1);
    if (provider.ok && model) return ok({ provider: provider.value.id, model });
    if (!provider.ok && provider.error.code === 'provider.ambiguous') return provider;
  }
  const listing = providers.filter((p) => p.models.includes(text));
  const [only] = listing;
  return only && listing.length === 1 ? ok({ provider: only.id, model: text }) : fail('cli.noModel', { model: text });
}
