import { dirname, relative, resolve } from 'node:path';
import { appEvents, draft, LOCAL_MODEL } from '#domain/events/index.ts';
import { isWithin } from '#domain/policy/flavour.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { Handlers } from '#main/api/wire.ts';
import { verifyWorkbench } from './verify.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<Handlers<WorkbenchService>, 'ping' | 'app.view' | 'host.show' | 'settings.set' | 'model.default' | 'tools.list' | 'verify.run' | 'file.reveal'>;

/** What belongs to no partner. `exported`: folders that an export of this session was written to. */
export function appHandlers(workbench: Workbench, exported: ReadonlySet<string>): Part {
  const { app, options } = workbench;
  return {
    ping: async () => ok({ pong: true as const }),
    'app.view': async () => ok(await workbench.view()),
    'host.show': async (_input, caller) => (caller.channel === 'cli' && !caller.insideRun ? ok({ url: options.host.show() }) : fail('rights.channel')),
    async 'settings.set'({ language, theme }) {
      const by = { actor: 'person' as const };
      const facts = [
        ...(language && language !== app.state.language ? [draft(appEvents.LanguageChosen, { language }, by)] : []),
        ...(theme && theme !== app.state.theme ? [draft(appEvents.ThemeChosen, { theme }, by)] : []),
      ];
      const done = facts.length > 0 ? await app.commit(facts) : ok();
      return done.ok ? ok(await workbench.view()) : done;
    },
    async 'model.default'({ model }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      if (model.provider !== LOCAL_MODEL.provider && !app.state.providers.some((p) => p.id === model.provider)) return fail('model.missing', { model: model.model });
      const done = await app.commit([draft(appEvents.DefaultModelChosen, { model }, { actor: 'person' })]);
      return done.ok ? ok(await workbench.view()) : done;
    },
    'tools.list': async () => ok([...workbench.tools.values()].map(({ name, description, schema, risk, changes }) => ({ name, description, schema, risk, changes }))),
    'verify.run': async ({ partner }) => ok(await verifyWorkbench(workbench, partner ?? null)),
    async 'file.reveal'({ path }) {
      const addresses = app.state.addresses.map((a) => ({ address: a.id, root: a.root, name: a.name, policy: a.policy }));
      // What was cut off a damaged log and what was exported lie in our own folder; everything else of it stays shut.
      const own = isWithin(resolve(path), options.dataDir, options.platform === 'linux' ? 'posix' : options.platform, 'loose');
      const within = relative(options.dataDir, resolve(path)).split(/[\\/]/);
      if (own && (within.includes('recovered') || within[0] === 'exports')) return shownBy(await options.host.reveal(resolve(path)));
      if (exported.has(resolve(path)) || exported.has(dirname(resolve(path)))) return shownBy(await options.host.reveal(resolve(path)));
      const verdict = await workbench.gate.judge('list', path, { caller: 'local', permission: 'review', addresses, pointedAt: [] });
      if (verdict.verdict === 'refuse') return fail(verdict.code, verdict.params);
      // What was judged is what is opened, not what was written.
      return shownBy(await options.host.reveal(verdict.target.path));
    },
  };
}

function shownBy(revealed: Result<void>): Result<{ readonly shown: boolean }> {
  return revealed.ok ? ok({ shown: true }) : revealed;
}
