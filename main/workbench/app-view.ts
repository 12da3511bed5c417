import type { AppView } from '#main/api/views.ts';
import { findingsOf } from '#main/partners/findings.ts';
import type { AppLog } from './app-log.ts';
import type { WorkbenchOptions } from './options.ts';
import type { Reach } from './reach.ts';

/** Everything that belongs to no partner, for the screen. Looks at each address once: a drive may be gone. */
export async function appView(workbench: { readonly options: WorkbenchOptions; readonly app: AppLog; readonly reach: Reach }): Promise<AppView> {
  const { options, app, reach } = workbench;
  const { state } = app;
  const addresses = await Promise.all(
    state.addresses.map(async (a) => ({
      id: a.id, name: a.name, root: a.root, policy: a.policy, sample: a.sample,
      reachable: await reach.look(a.root),
    })),
  );
  return {
    version: options.version, host: options.host.kind, platform: options.platform, language: state.language, theme: state.theme, addresses,
    providers: state.providers, defaultModel: state.defaultModel, secrets: options.host.secrets.kind, dataDir: options.dataDir, home: options.home,
    findings: findingsOf(app.log.findings), kept: state.kept, sampleOffered: !state.addresses.some((a) => a.sample),
  };
}
