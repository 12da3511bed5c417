import type { ModelChoice } from '#domain/events/index.ts';
import type { Connection } from '#main/api/client.ts';
import type { Arguments } from './arguments.ts';
import type { Output } from './output.ts';

/** What every command works with. */
export interface CommandContext {
  readonly connection: Connection;
  readonly out: Output;
  readonly args: Arguments;
}

/** `local`, or `PROVIDER/MODEL` with the provider's id or name. */
export async function modelFrom(connection: Connection, text: string): Promise<ModelChoice | null> {
  if (text === 'local') return { provider: 'local', model: 'local' } as ModelChoice;
  const app = await connection.call['app.view']({});
  if (!app.ok) return null;
  const cut = text.indexOf('/');
  const [who, model] = cut < 0 ? ['', text] : [text.slice(0, cut), text.slice(cut + 1)];
  const provider = app.value.providers.find((p) => p.id === who || p.name === who) ?? app.value.providers.find((p) => p.models.includes(text));
  return provider ? { provider: provider.id, model: provider.id === who || provider.name === who ? model : text } : null;
}
