import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PartnerId, RunId } from '#domain/ids.ts';
import { ok } from '#domain/result.ts';
import { connect, type Connection } from '#main/api/client.ts';
import { topics } from '#main/api/service.ts';
import type { ConversationPush } from '#main/api/views.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { realRandom } from '#main/ports/real.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { openHistory } from '#main/read-model/history.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import { serve } from '#main/server/session.ts';
import { joinedPorts } from '#main/server/stream-port.ts';
import { createFreedesktopTrash } from '#main/trash/freedesktop.ts';
import { answeringFor } from '#main/workbench/answering.ts';
import { Workbench } from '#main/workbench/workbench.ts';
import { conversation, type ConversationView } from '#projections/conversation/conversation.ts';
import type { TurnView } from '#projections/conversation/views.ts';
import { diffText } from '#workers/diff/diff-text.ts';
import { DrivenClock } from './clock.ts';

/** The real product in a temp folder, spoken to over the real contract. Time is the test's. */
export class World {
  readonly base: string;
  readonly work: string;
  readonly data: string;
  readonly clock = new DrivenClock();
  workbench!: Workbench;
  api!: Connection;
  readonly #opened: Workbench[] = [];

  /** On the folders of another process, when `base` is given. */
  constructor(base = mkdtempSync(join(tmpdir(), 'curator-world-'))) {
    this.base = base;
    this.work = join(base, 'work');
    this.data = join(base, 'data');
  }

  static async open(options: { readonly fs?: FsPort; readonly steps?: number; readonly base?: string } = {}): Promise<World> {
    const world = new World(options.base);
    mkdirSync(world.work, { recursive: true });
    await world.start(options);
    return world;
  }

  /** Opens (again) on the same folders. */
  async start(options: { readonly fs?: FsPort; readonly steps?: number } = {}): Promise<void> {
    const fs = options.fs ?? createNodeFs();
    const opened = await Workbench.open({
      dataDir: this.data, fs, clock: this.clock, random: realRandom, platform: 'linux', home: this.base, machine: 'test', version: '0', locale: 'en', sampleDir: join(import.meta.dirname, '../../../fixtures/sample'),
      openHistory, diff: async (a, b) => ok(diffText(a, b)), limits: { steps: options.steps ?? 20, retries: 5 },
      host: {
        kind: 'cli', chooseFolder: null, show: () => null, reveal: async () => ok(), secrets: createFileSecrets(createNodeFs(), join(this.data, 'secrets')),
        trash: createFreedesktopTrash({ fs, clock: this.clock, dataHome: join(this.base, 'share'), uid: process.getuid?.() ?? 0 }),
      },
    });
    if (!opened.ok) throw new Error(opened.error.code);
    this.workbench = opened.value;
    this.#opened.push(opened.value);
    const [ours, theirs] = joinedPorts();
    serve(answeringFor(opened.value), theirs, { channel: 'cli', admits: () => true });
    const api = await connect(ours);
    if (!api.ok) throw new Error(api.error.code);
    this.api = api.value;
  }

  async partner(name = 'Maple'): Promise<Talk> {
    const made = await this.api.call['partner.create']({ name, face: { shape: 'drop', colour: 'lake' } });
    if (!made.ok) throw new Error(made.error.code);
    return this.follow(made.value.id);
  }
  follow(id: PartnerId): Talk {
    return new Talk(this, id);
  }
  async address(policy: 'readOnly' | 'confirm' | 'direct', path = this.work): Promise<void> {
    const added = await this.api.call['address.add']({ path, policy });
    if (!added.ok) throw new Error(added.error.code);
  }
  /** Adds a provider; its model is the default from then on. */
  async provider(baseUrl: string, key = 'sk-canary-0815-secret'): Promise<void> {
    const added = await this.api.call['provider.add']({ name: 'Fake', baseUrl, key, models: ['fake'] });
    if (!added.ok) throw new Error(added.error.code);
    await this.api.call['model.default']({ model: { provider: added.value.id, model: 'fake' } });
  }
  /** Files of the data folder that hold the text. */
  grep(text: string): string[] {
    return execFileSync('sh', ['-c', 'grep -rlF -- "$1" "$2" || true', 'sh', text, this.data], { encoding: 'utf8' }).split('\n').filter(Boolean);
  }
  async close(): Promise<void> {
    for (const workbench of this.#opened) await workbench.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** One partner's conversation, folded as the renderer folds it. */
export class Talk {
  readonly id: PartnerId;
  readonly #world: World;
  #view: ConversationView = conversation.initial;
  /** Live text as it came. */
  readonly drafts: { text: string; thinking: boolean }[] = [];
  readonly #changed = new Set<() => void>();

  constructor(world: World, id: PartnerId) {
    this.#world = world;
    this.id = id;
    world.api.subscribe(topics.conversation(id), null, (data) => {
      const push = data as ConversationPush;
      if (push.kind === 'page') {
        this.#view = { turns: push.page.turns };
      } else if (push.kind === 'events') for (const event of push.events) this.#view = conversation.project(this.#view, event as never);
      else this.drafts.push({ text: push.draft.text, thinking: push.draft.thinking });
      for (const changed of [...this.#changed]) changed();
    });
  }
  get turns(): readonly TurnView[] {
    return this.#view.turns;
  }
  get last(): TurnView {
    return this.turns.at(-1)!;
  }
  async send(text: string, more: { permission?: 'review' | 'full' } = {}): Promise<RunId> {
    const sent = await this.#world.api.call['run.send']({ partner: this.id, text, ...more });
    if (!sent.ok) throw new Error(sent.error.code);
    return sent.value.run;
  }
  /** Waits for pushes until the newest turn fits. */
  async until(fits: (turn: TurnView) => boolean): Promise<TurnView> {
    for (;;) {
      const turn = this.turns.at(-1);
      if (turn && fits(turn)) return turn;
      await new Promise<void>((done) => {
        const once = () => {
          this.#changed.delete(once);
          done();
        };
        this.#changed.add(once);
      });
    }
  }
  /** Waits until so much live text has come. */
  async live(text: string): Promise<void> {
    while (!this.drafts.map((d) => d.text).join('').includes(text)) {
      this.#world.clock.advance(40);
      await new Promise((done) => setImmediate(done));
    }
  }
  ended(run: RunId): Promise<TurnView> {
    return this.until((t) => t.run === run && t.endedAt !== null);
  }
  asked(): Promise<TurnView> {
    return this.until((t) => t.waiting !== null);
  }
  async decide(...decisions: ('approve' | 'reject' | { guide: string })[]) {
    const { batch, plans } = (await this.asked()).waiting!;
    return this.#world.api.call['approval.decide']({
      partner: this.id, batch,
      decisions: plans.map((p, i) => {
        const d = decisions[i] ?? decisions.at(-1)!;
        return typeof d === 'string' ? { call: p.call, decision: d } : { call: p.call, decision: 'guide' as const, guidance: d.guide };
      }),
    });
  }
  stop() {
    return this.#world.api.call['run.stop']({ partner: this.id });
  }
}
