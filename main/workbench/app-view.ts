import type { AppView } from '#main/api/views.ts';
import { findingsOf } from '#main/partners/findings.ts';
import type { AppLog } from './app-log.ts';
import type { WorkbenchOptions } from './options.ts';

/** A share that has gone may answer after minutes, and nobody waits for it to see the rest. */
const LOOK_MS = 2000;

/** Everything that belongs to no partner, for the screen. Looks at each address once: a drive may be gone. */
export async function appView(workbench: { readonly options: WorkbenchOptions; readonly app: AppLog }): Promise<AppView> {
  const { options, app } = workbench;
  const { state } = app;
  const addresses = await Promise.all(
    state.addresses.map(async (a) => ({
      id: a.id, name: a.name, root: a.root, policy: a.policy, sample: a.sample,
      reachable: await soon(options, options.fs.stat(a.root).then((s) => s.kind === 'folder', () => false)),
    })),
  );
  return {
    version: options.version, host: options.host.kind, platform: options.platform, language: state.language, theme: state.theme, addresses,
    providers: state.providers, defaultModel: state.defaultModel, secrets: options.host.secrets.kind, dataDir: options.dataDir, home: options.home,
    findings: findingsOf(app.log.findings), sampleOffered: !state.addresses.some((a) => a.sample),
  };
}

function soon({ clock }: WorkbenchOptions, looking: Promise<boolean>): Promise<boolean> {
  return new Promise((answer) => {
    const cancel = clock.after(LOOK_MS, () => answer(false));
    void looking.then((there) => {
      cancel();
      answer(there);
    });
  });
}
