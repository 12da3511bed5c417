import type { AppView } from '#main/api/views.ts';
import { findingsOf } from '#main/partners/findings.ts';
import type { AppLog } from './app-log.ts';
import type { WorkbenchOptions } from './options.ts';

/** Everything that belongs to no partner, for the screen. Looks at each address once: a drive may be gone. */
export async function appView(workbench: { readonly options: WorkbenchOptions; readonly app: AppLog }): Promise<AppView> {
  const { options, app } = workbench;
  const { state } = app;
  const addresses = await Promise.all(
    state.addresses.map(async (a) => ({
      id: a.id, name: a.name, root: a.root, policy: a.policy, sample: a.sample,
      reachable: await options.fs.stat(a.root).then((s) => s.kind === 'folder', () => false),
    })),
  );
  return {
    version: options.version, host: options.host.kind, platform: options.platform, language: state.language, theme: state.theme, addresses,
    providers: state.providers, defaultModel: state.defaultModel, secrets: options.host.secrets.kind, dataDir: options.dataDir, home: options.home,
    findings: findingsOf(app.log.findings), kept: state.kept, sampleOffered: !state.addresses.some((a) => a.sample),
  };
}
