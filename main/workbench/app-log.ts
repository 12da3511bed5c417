import { join } from 'node:path';
import type { AppEvent, EventDraft } from '#domain/events/index.ts';
import { isHash, type Hash } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import type { Failure, Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import type { EventLog } from '#main/log/types.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { appState, type AppState } from '#projections/app/app.ts';

type Anchors = Readonly<Record<string, { readonly seq: number; readonly h: Hash }>>;

/** Events after which the disposable state cache is written again. */
const CACHE_EVERY = 200;

/**
 * The app's own log as state: addresses, providers, settings, anchors. Opened from a small cache plus
 * what came after it, so that years of anchors cost nothing at start.
 */
export class AppLog {
  readonly log: EventLog;
  readonly #fs: FsPort;
  readonly #cacheFile: string;
  readonly #anchorFile: string;
  #anchoring: Promise<void> = Promise.resolve();
  /** What is anchored already: an anchor never goes back, also where the log has lost its end. */
  #anchored: Anchors;
  #state: AppState;
  #durable: AppState;
  /** What `#durable` holds: the log's head may be a little ahead of it. */
  #durableMoment: Moment;
  #sinceCache = 0;
  readonly #listeners = new Set<() => void>();

  private constructor(fs: FsPort, log: EventLog, cacheFile: string, anchorFile: string, anchored: Anchors, state: AppState) {
    this.#anchored = anchored;
    this.#fs = fs;
    this.log = log;
    this.#cacheFile = cacheFile;
    this.#anchorFile = anchorFile;
    this.#state = state;
    this.#durable = state;
    this.#durableMoment = log.head().moment;
    log.onPoisoned(() => {
      this.#state = this.#durable;
    });
  }

  static async open(fs: FsPort, log: EventLog, dir: string): Promise<AppLog> {
    const cacheFile = join(dir, 'cache', 'state.json');
    const anchorFile = anchorPath(dir);
    const cached = await readCache(fs, cacheFile, log.head().moment);
    let state = cached?.state ?? appState.initial;
    if (cached) {
      for (const [origin, seq] of Object.entries(log.head().moment)) {
        const from = (cached.moment[origin as keyof Moment] ?? 0) + 1;
        if (from > seq) continue;
        for await (const event of log.read(origin as keyof Moment, from)) if (!event.unknown) state = appState.project(state, event as AppEvent);
      }
    } else for await (const batch of log.readBatches()) for (const event of batch) if (!event.unknown) state = appState.project(state, event as AppEvent);
    return new AppLog(fs, log, cacheFile, anchorFile, await readAnchor(fs, dir), state);
  }

  get state(): AppState {
    return this.#state;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Appends facts; resolves when durable. */
  async commit(drafts: readonly EventDraft[]): Promise<Result<void, Failure>> {
    const { tentative, durable } = this.log.append(drafts);
    for (const event of tentative) this.#state = appState.project(this.#state, event as AppEvent);
    const done = await durable;
    if (!done.ok) return done;
    for (const event of done.value) {
      this.#durable = appState.project(this.#durable, event as AppEvent);
      this.#durableMoment = { ...this.#durableMoment, [event.origin]: event.seq };
    }
    this.#sinceCache += drafts.length;
    if (this.#sinceCache >= CACHE_EVERY) void this.#writeCache();
    this.#anchor();
    for (const listener of [...this.#listeners]) listener();
    return { ok: true, value: undefined };
  }

  async close(): Promise<void> {
    await this.#writeCache();
    await this.log.close();
    this.#anchor();
    await this.#anchoring;
  }

  /** Partners' ends are anchored in this log; its own end is anchored beside it, so that a lost end is seen (I8). */
  #anchor(): void {
    if (this.log.mode !== 'open') return;
    const { moment, hashes } = this.log.head();
    const now = Object.fromEntries(Object.entries(moment).map(([o, seq]) => [o, { seq, h: hashes[o as keyof typeof hashes] }])) as Anchors;
    this.#anchored = { ...now, ...Object.fromEntries(Object.entries(this.#anchored).filter(([o, a]) => a.seq > (now[o]?.seq ?? 0))) };
    const bytes = new TextEncoder().encode(JSON.stringify(this.#anchored));
    // One after the other: the newest word is the last. A full disk leaves an older anchor, which is still true.
    this.#anchoring = this.#anchoring.then(() => writeFileAtomic(this.#fs, this.#anchorFile, bytes, 0o600)).catch(() => undefined);
  }

  async #writeCache(): Promise<void> {
    this.#sinceCache = 0;
    const body = JSON.stringify({ version: appState.version, moment: this.#durableMoment, state: this.#durable });
    // A cache: failing to write it costs time at the next start, nothing else.
    await writeFileAtomic(this.#fs, this.#cacheFile, new TextEncoder().encode(body), 0o600).catch(() => undefined);
  }
}

/** The file beside the app's log that says how far it goes. */
export function anchorPath(dir: string): string {
  return join(dir, 'anchor.json');
}

/** Where the app log must at least reach; nothing when it was never anchored or the anchor cannot be read. */
export async function readAnchor(fs: FsPort, dir: string): Promise<Anchors> {
  try {
    const raw = JSON.parse(new TextDecoder().decode(await fs.readFile(anchorPath(dir)))) as Record<string, { seq: number; h: Hash }>;
    return Object.fromEntries(Object.entries(raw).filter(([, a]) => Number.isSafeInteger(a?.seq) && isHash(a?.h)));
  } catch {
    return {};
  }
}

async function readCache(fs: FsPort, file: string, head: Moment): Promise<{ moment: Moment; state: AppState } | null> {
  try {
    const raw = JSON.parse(new TextDecoder().decode(await fs.readFile(file))) as { version: number; moment: Moment; state: AppState };
    const covered = Object.entries(raw.moment).every(([origin, seq]) => (head[origin as keyof Moment] ?? 0) >= seq);
    return raw.version === appState.version && covered ? raw : null;
  } catch {
    return null;
  }
}
