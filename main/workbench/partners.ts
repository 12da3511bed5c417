import { join } from 'node:path';
import { appEvents, draft, type Face } from '#domain/events/index.ts';
import type { Hash, PartnerId } from '#domain/ids.ts';
import { isId } from '#domain/ids.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { PartnersPush, PartnerSummary } from '#main/api/views.ts';
import type { CallerInfo } from '#main/api/wire.ts';
import { openPartner, partnerDir, type OpenPartnerOptions } from '#main/partners/open-partner.ts';
import type { Partner } from '#main/partners/partner.ts';
import type { PartnerDeps } from '#main/partners/types.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { newId } from '#main/ports/random.ts';
import type { AppLog } from './app-log.ts';
import { Broadcast } from './topics.ts';

/** A partner that could not be opened at all is still shown, and nothing of it is touched (case 53). */
interface Unopened {
  readonly id: PartnerId;
  readonly failure: Failure;
}

/** All partners of a data folder: opened once at start, created, deleted, listed. */
export class Partners {
  readonly topic = new Broadcast<PartnersPush>();
  readonly #open = new Map<PartnerId, Partner>();
  readonly #unopened = new Map<PartnerId, Unopened>();
  readonly #dataDir: string;
  readonly #deps: PartnerDeps;
  readonly #app: AppLog;
  readonly #machine: string;
  readonly #openHistory: OpenPartnerOptions['openHistory'];

  constructor(options: { readonly dataDir: string; readonly deps: PartnerDeps; readonly app: AppLog; readonly machine: string; readonly openHistory: OpenPartnerOptions['openHistory'] }) {
    this.#dataDir = options.dataDir;
    this.#deps = options.deps;
    this.#app = options.app;
    this.#machine = options.machine;
    this.#openHistory = options.openHistory;
  }

  /** Opens what is listed, takes in what a kill left unlisted, removes what was deleted. */
  async start(): Promise<void> {
    const { fs } = this.#deps;
    const root = join(this.#dataDir, 'partners');
    await fs.mkdir(root, { recursive: true, mode: 0o700 });
    const { deleted, partners } = this.#app.state;
    const ids = new Set(partners);
    for (const entry of await fs.readdir(root)) {
      if (entry.name.startsWith('.deleted-') || (isId('partner', entry.name) && deleted.includes(entry.name))) {
        // Tried again at the next start; a folder that will not go keeps nobody out.
        await removeTree(fs, join(root, entry.name)).catch((cause: unknown) => this.#deps.report('partner folder', cause));
      } else if (isId('partner', entry.name) && !ids.has(entry.name)) {
        // Shown also when the app's log cannot say so now: it is there.
        ids.add(entry.name);
        await this.#app.commit([draft(appEvents.PartnerListed, { partner: entry.name }, { actor: 'host' })]);
      }
    }
    for (const id of ids) await this.#openOne(id);
  }

  list(): readonly PartnerSummary[] {
    return [...[...this.#open.values()].map((p) => p.summary()), ...[...this.#unopened.values()].map((u) => this.#unopenedSummary(u))].sort(byPlace);
  }

  get(id: PartnerId): Result<Partner, Failure> {
    const partner = this.#open.get(id);
    if (partner) return ok(partner);
    const unopened = this.#unopened.get(id);
    return unopened ? { ok: false, error: unopened.failure } : fail('partner.unknown');
  }

  async create(name: string, face: Face): Promise<Result<Partner, Failure>> {
    const id = newId(this.#deps.random, 'partner');
    const opened = await this.#openOne(id);
    if (!opened.ok) {
      this.#unopened.delete(id);
      await this.#takeBack(id);
      return opened;
    }
    const created = await opened.value.command({ do: 'CreatePartner', name, face });
    const done = created.ok ? await this.#app.commit([draft(appEvents.PartnerListed, { partner: id }, { actor: 'person' })]) : created;
    if (done.ok) return opened;
    this.#open.delete(id);
    await opened.value.close();
    await this.#takeBack(id);
    return done;
  }

  /** A partner that did not come to be leaves no folder; one that stays is shown at the next start. */
  async #takeBack(id: PartnerId): Promise<void> {
    await removeTree(this.#deps.fs, partnerDir(this.#dataDir, id)).catch((cause: unknown) => errnoOf(cause) === 'ENOENT' || this.#deps.report('partner folder', cause));
  }

  /** The fact first, the folder after: a kill between is finished at the next start (WB-SESSION-004). */
  async delete(id: PartnerId, channel: CallerInfo['channel']): Promise<Result<{ readonly events: number }, Failure>> {
    const got = this.get(id);
    if (!got.ok && got.error.code === 'partner.unknown') return got;
    const partner = got.ok ? got.value : null;
    if (partner && partner.summary().activity !== 'idle') await partner.stop(channel);
    const head = partner?.log.head();
    const hashes: Readonly<Record<string, Hash>> = head?.hashes ?? {};
    const heads = Object.fromEntries(Object.entries(head?.moment ?? {}).flatMap(([o, seq]) => (hashes[o] ? [[o, { seq, h: hashes[o] }]] : [])));
    const events = head?.count ?? 0;
    const name = partner?.summary().name || '?';
    const said = await this.#app.commit([draft(appEvents.PartnerDeleted, { partner: id, name, heads, events }, { actor: 'person' })]);
    if (!said.ok) return said;
    this.#open.delete(id);
    this.#unopened.delete(id);
    this.topic.push({ kind: 'gone', partner: id });
    await partner?.close();
    const { fs } = this.#deps;
    const trash = join(this.#dataDir, 'partners', `.deleted-${id}`);
    try {
      await fs.rename(partnerDir(this.#dataDir, id), trash);
      await removeTree(fs, trash);
    } catch (cause) {
      // Finished at the next start; the partner is gone for the person either way.
      this.#deps.report('partner folder', cause);
    }
    return ok({ events });
  }

  /** Those that could not be opened, and why. */
  unopened(): readonly Unopened[] {
    return [...this.#unopened.values()];
  }

  /** False while a partner could not be opened: then nobody knows what it still needs. */
  allOpen(): boolean {
    return this.#unopened.size === 0;
  }

  all(): readonly Partner[] {
    return [...this.#open.values()];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((p) => p.close()));
  }

  async #openOne(id: PartnerId): Promise<Result<Partner, Failure>> {
    const opened = await openPartner({
      id, dir: partnerDir(this.#dataDir, id), machine: this.#machine, anchors: this.#app.state.anchors[id] ?? {}, deps: this.#deps, openHistory: this.#openHistory,
      changed: (partner) => {
        if (partner.state.facts.created && this.#open.get(id) === partner) this.topic.push({ kind: 'changed', partner: partner.summary() });
      },
    }).catch((cause: unknown): Result<Partner, Failure> => {
      this.#deps.report('open partner', cause);
      return fail('log.io', { errno: errnoOf(cause) }, cause instanceof Error ? cause.message : String(cause));
    });
    if (opened.ok) this.#open.set(id, opened.value);
    else this.#unopened.set(id, { id, failure: opened.error });
    return opened;
  }

  #unopenedSummary({ id }: Unopened): PartnerSummary {
    return {
      id, name: id.slice(8, 14), face: { shape: 'circle', colour: 'stone' }, pinned: false, lastMessage: null, lastAt: new Date(0).toISOString(), activity: 'idle',
      permission: 'review', model: this.#deps.defaultModel(), health: 'readOnly', findings: [{ code: 'damage', params: { after: 0 } }],
    };
  }
}

/** Pinned first, then newest first. */
function byPlace(a: PartnerSummary, b: PartnerSummary): number {
  return Number(b.pinned) - Number(a.pinned) || (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0) || (a.id < b.id ? -1 : 1);
}

/** Removes one of the product's own folders whole. Never given a path of the person's. */
export async function removeTree(fs: FsPort, dir: string): Promise<void> {
  for (const e of await fs.readdir(dir)) {
    const path = join(dir, e.name);
    if (e.kind === 'folder') await removeTree(fs, path);
    else await fs.unlink(path);
  }
  await fs.rmdir(dir);
}
