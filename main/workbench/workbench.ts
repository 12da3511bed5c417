import { join } from 'node:path';
import { appEvents, draft, type EventDraft } from '#domain/events/index.ts';
import type { Hash } from '#domain/ids.ts';
import { ok, type Failure, type Result } from '#domain/result.ts';
import type { AppPush, AppView } from '#main/api/views.ts';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { createChanges } from '#main/changes/changes.ts';
import { createDiagnostics, type Diagnostics } from '#main/diagnostics.ts';
import { createGate } from '#main/gate/gate.ts';
import type { Gate } from '#main/gate/types.ts';
import { openEventLog } from '#main/log/open.ts';
import { createLocalModel } from '#main/model/local/local-model.ts';
import type { PartnerDeps } from '#main/partners/types.ts';
import { createTools } from '#main/tools/registry.ts';
import type { Tool } from '#main/tools/types.ts';
import { AppLog, readAnchor } from './app-log.ts';
import { appView } from './app-view.ts';
import { createModels } from './models.ts';
import type { WorkbenchOptions } from './options.ts';
import { Partners } from './partners.ts';
import { Reach } from './reach.ts';
import { Broadcast, type Push } from './topics.ts';

/** Model calls of one run at most, and retries of one call (WB-COMPOSER-015-B2). */
export const LIMITS = { steps: 100, retries: 5 } as const;

/** The open product: one data folder, its app log, partners, tools and models. One per process; the caller holds the folder's lock. */
export class Workbench {
  readonly options: WorkbenchOptions;
  readonly app: AppLog;
  readonly partners: Partners;
  readonly blobs: BlobStore;
  readonly gate: Gate & { warnRoot(path: string): string | null };
  readonly tools: ReadonlyMap<string, Tool>;
  readonly diagnostics: Diagnostics;
  readonly reach: Reach;
  readonly appTopic = new Broadcast<AppPush>();
  #viewing: Promise<unknown> = Promise.resolve();
  #later: Promise<void> = Promise.resolve();
  #closing = false;

  private constructor(parts: Pick<Workbench, 'options' | 'app' | 'partners' | 'blobs' | 'gate' | 'tools' | 'diagnostics'>) {
    this.options = parts.options;
    this.app = parts.app;
    this.partners = parts.partners;
    this.blobs = parts.blobs;
    this.gate = parts.gate;
    this.tools = parts.tools;
    this.diagnostics = parts.diagnostics;
    this.reach = new Reach(this.options.fs, this.options.clock, () => this.#show());
    this.app.onChange(() => this.#show());
  }

  /** Opens a data folder whose lock is held. Codes: log.io, blob.io. */
  static async open(options: WorkbenchOptions): Promise<Result<Workbench, Failure>> {
    const { fs, clock, random, dataDir, host, platform } = options;
    await fs.mkdir(dataDir, { recursive: true, mode: 0o700 });
    const diagnostics = createDiagnostics(fs, clock, dataDir);
    const blobs = await openBlobStore(fs, join(dataDir, 'blobs'), clock);
    if (!blobs.ok) return blobs;
    const appDir = join(dataDir, 'app');
    const log = await openEventLog({ dir: appDir, kind: 'app', fs, clock, random, machine: options.machine, anchors: await readAnchor(fs, appDir) });
    if (!log.ok) return log;
    const app = await AppLog.open(fs, log.value, appDir);
    const flavour = platform === 'linux' ? 'posix' : platform;
    const gate = createGate({ fs, flavour, home: options.home, dataDir });
    const tools = createTools();
    const modelFor = createModels({ local: createLocalModel(), providers: () => app.state.providers, secrets: host.secrets, clock });
    const note = (facts: readonly EventDraft[]) => void app.commit(facts).then((done) => done.ok || diagnostics.report('app log', done.error.code));
    const deps: PartnerDeps = {
      fs, clock, random, blobs: blobs.value, gate, trash: host.trash, tools, modelFor, limits: options.limits ?? LIMITS,
      changesFor: (journal) => createChanges({ fs, blobs: blobs.value, journal, trash: host.trash, random, flavour }),
      addresses: () => app.state.addresses.map((a) => ({ address: a.id, root: a.root, name: a.name, policy: a.policy })),
      defaultModel: () => app.state.defaultModel,
      language: () => (app.state.language === 'system' ? options.locale : app.state.language),
      anchor: (partner, head) => {
        const facts = Object.entries(head.moment).flatMap(([origin, seq]) => {
          const h = head.hashes[origin as keyof typeof head.hashes];
          // An end that is anchored already says nothing new.
          return h && seq > (app.state.anchors[partner]?.[origin as keyof typeof head.moment]?.seq ?? 0) ? [draft(appEvents.Anchored, { partner, origin: origin as keyof typeof head.moment, seq, h }, { actor: 'host' })] : [];
        });
        if (facts.length > 0) note(facts);
      },
      kept: (path, blob, size, why, change) => note([draft(appEvents.BytesKept, { path, blob: blob as Hash, size, why, change }, { actor: 'host' })]),
      report: (what, cause) => diagnostics.report(what, cause),
    };
    const partners = new Partners({ dataDir, deps, app, machine: options.machine, openHistory: ({ dir, log }) => options.openHistory({ dir, log, fs }) });
    const workbench = new Workbench({ options, app, partners, blobs: blobs.value, gate, tools, diagnostics });
    await partners.start();
    return ok(workbench);
  }

  view(): Promise<AppView> {
    return appView(this);
  }

  /** Follows addresses, providers and settings: the view of now, then one after every change, never an older one after a newer. */
  followApp(push: Push): Promise<() => void> {
    return this.#inTurn(async () => this.appTopic.follow({ kind: 'app', app: await this.view() }, push));
  }

  #show(): void {
    this.#inTurn(async () => this.appTopic.push({ kind: 'app', app: await this.view() })).catch((cause: unknown) => this.diagnostics.report('app view', cause));
  }

  /** Views are put together asynchronously; they go out in the order in which they were asked for. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#viewing.then(work);
    this.#viewing = turn.catch(() => undefined);
    return turn;
  }

  /** Does work that nobody waits for, one after the other; closing waits for what has begun. */
  later(what: string, work: () => Promise<unknown>): void {
    this.#later = this.#later.then(async () => {
      if (!this.#closing) await work();
    }).catch((cause: unknown) => this.diagnostics.report(what, cause));
  }

  /** True once it closes: work that nobody waits for ends early. A command line has nothing but that work left to do, and does it. */
  get closing(): boolean {
    return this.#closing && this.options.host.kind !== 'cli';
  }

  /** Resolves when nothing that was put off is left. */
  settled(): Promise<void> {
    return this.#later;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#later;
    await this.partners.close();
    await this.app.close();
    await this.diagnostics.settled();
  }
}
