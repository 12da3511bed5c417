import { ok } from '#domain/result.ts';
import { option } from './arguments.ts';
import type { Command } from './context.ts';
import { EXIT } from './output.ts';
import { pick } from './pick.ts';

/** `curator provider …` and `curator tools`. */
export const PROVIDER_COMMANDS: readonly Command[] = [
  {
    use: 'provider add NAME --url URL --models A,B [--key-env VARIABLE]',
    async run({ connection, out, args }, [name = '']) {
      const models = (option(args, 'models') ?? '').split(',').map((m) => m.trim()).filter(Boolean);
      if (models.length === 0) return out.usage('--models names no model', this.use);
      // A key on the command line would be in every process list: it is taken from a variable's value.
      const variable = option(args, 'key-env');
      const key = variable ? process.env[variable]?.trim() : undefined;
      if (variable && !key) return out.failure({ code: 'cli.noVariable', params: { name: variable } });
      return out.one(await connection.call['provider.add']({ name, baseUrl: option(args, 'url') ?? '', models, ...(key ? { key } : {}) }), (p) => p.id);
    },
  },
  {
    use: 'provider list',
    async run({ connection, out }) {
      const app = await connection.call['app.view']({});
      return app.ok ? out.each(ok(app.value.providers), (p) => `${p.id}  ${p.name}  ${p.baseUrl}  ${p.models.join(',')}${p.hasKey ? '' : '  (no key)'}`) : out.failure(app.error);
    },
  },
  {
    use: 'provider test PROVIDER',
    async run({ connection, out }, [given = '']) {
      const app = await connection.call['app.view']({});
      const provider = app.ok ? pick('provider', app.value.providers, given) : app;
      if (!provider.ok) return out.failure(provider.error);
      const tested = await connection.call['provider.test']({ provider: provider.value.id });
      if (!tested.ok) return out.failure(tested.error);
      const { hop, status, detail, models } = tested.value;
      out.value(tested.value, tested.value.ok ? `ok, ${models.length} models` : ['failed at:', hop, status, detail].filter((part) => part !== null).join(' '));
      return tested.value.ok ? EXIT.done : EXIT.failed;
    },
  },
  { use: 'tools', run: async ({ connection, out }) => out.each(await connection.call['tools.list']({}), (t) => `${t.name}  (${t.risk}${t.changes ? ', changes' : ''})  ${t.description}`) },
];
