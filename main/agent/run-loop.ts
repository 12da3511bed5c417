import { draft, partnerEvents, type EventDraft, type PartnerEvent, type StoredEvent } from '#domain/events/index.ts';
import type { Hash } from '#domain/ids.ts';
import { closeOpenCalls, modelContext, type ModelContext } from '#projections/model-context/model-context.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import type { ModelReply } from '#main/model/types.ts';
import { callModel } from './call-model.ts';
import { resolveMessages } from './context.ts';
import { fitFrom, shortened } from './fit.ts';
import { LogRefused, throwIfRefused } from './log-refused.ts';
import { toLongText } from './long-text.ts';
import { PROMPT_VERSION, systemPrompt } from './prompt.ts';
import { readCalls, runCalls, type ReadCall } from './tool-calls.ts';
import type { RunDeps, RunHost, RunStart } from './types.ts';

/** Tokens that a run's own messages take in a request at most; beyond it the oldest tool results give way. With those of earlier turns this fits a window of 128k. */
const RUN_TOKENS = 60_000;

/**
 * One run (design §6): context from the log → model → record → tools → again, until an answer, a stop,
 * a settled failure or the limit. Every way out leaves exactly one ending fact; throws {@link LogRefused}
 * when the log itself refuses.
 */
export async function runAgent(deps: RunDeps, host: RunHost, start: RunStart): Promise<void> {
  const run = new Run(deps, host, start);
  await run.go();
}

class Run {
  readonly #deps: RunDeps;
  readonly #host: RunHost;
  readonly #start: RunStart;
  #context: ModelContext = modelContext.initial;
  readonly #seen = new Map<string, Hash | null>();
  readonly #baselines = new Map<string, Hash | null>();
  readonly #read: Pick<BlobStore, 'get'>;
  /** From which message on this run's own messages are still sent whole. */
  #whole = 0;

  constructor(deps: RunDeps, host: RunHost, start: RunStart) {
    this.#deps = deps;
    this.#host = host;
    this.#start = start;
    this.#read = readOnce(deps.blobs);
    this.#learn(start.opening);
  }

  async go(): Promise<void> {
    const system = systemPrompt(this.#start);
    const tools = [...this.#deps.tools.values()].map((t) => ({ name: t.name, description: t.description, schema: t.schema }));
    const told = await this.#deps.blobs.put(new TextEncoder().encode(JSON.stringify({ prompt: PROMPT_VERSION, system, tools })));
    if (!told.ok) return this.#finish(this.#end('RunFailed', { code: told.error.code, ...(told.error.detail ? { detail: told.error.detail } : {}) }));
    const history = await this.#host.history();

    for (let step = 1; step <= this.#deps.limits.steps; step++) {
      if (this.#start.signal.aborted) return this.#finish(this.#halted());
      const said = closeOpenCalls(this.#context);
      this.#whole = fitFrom(said, this.#whole, RUN_TOKENS);
      const own = await resolveMessages(this.#read, shortened(said, this.#whole), 'with images');
      const messages = [...history, ...own];
      await this.#commit([draft(partnerEvents.ModelAsked, { call: step, told: told.value, messages: messages.length }, this.#by('host'))], false);
      const reply = await callModel(this.#deps, this.#hostFor(), this.#start, step, { model: this.#start.model.model, system, messages, tools });
      if (!reply.ok) {
        if (reply.error.kind === 'stopped') return this.#finish(this.#halted());
        const { code, status, detail } = reply.error;
        return this.#finish(this.#end('RunFailed', { code, ...(status !== undefined ? { status } : {}), ...(detail ? { detail: detail.slice(0, 4000).toWellFormed() } : {}) }));
      }
      if (await this.#take(step, reply.value)) return;
    }
    await this.#finish(this.#end('RunLimitReached', { limit: 'steps' }));
  }

  /** Records one reply and does what it asks. True: the run has ended. */
  async #take(step: number, reply: ModelReply): Promise<boolean> {
    const usage = reply.usage ? [draft(partnerEvents.UsageReported, { call: step, ...reply.usage }, this.#by('host'))] : [];
    if (reply.finish !== 'stop') {
      // A cut reply may end in the middle of a tool call: its text is kept, its calls never run.
      const kept = reply.text.trim() ? [await this.#answer(step, reply)] : [];
      await this.#finish([...kept, ...usage, ...this.#end('RunFailed', { code: reply.finish === 'length' ? 'model.truncated' : 'model.filtered' })]);
      return true;
    }
    if (reply.calls.length === 0) {
      const ending = reply.text.trim() ? [await this.#answer(step, reply), ...usage, ...this.#end('RunCompleted', {})] : [...usage, ...this.#end('RunFailed', { code: 'model.empty' })];
      await this.#finish(ending);
      return true;
    }
    const calls = readCalls(this.#deps, reply.calls);
    await this.#commit([await this.#thought(step, reply), ...(await this.#called(calls)), ...usage]);
    const end = await runCalls(this.#deps, this.#hostFor(), this.#start, calls, { seen: this.#seen, baselines: this.#baselines });
    if (end === 'stopped') await this.#finish(this.#halted());
    return end === 'stopped';
  }

  async #answer(step: number, reply: ModelReply): Promise<EventDraft> {
    const suggestions = reply.suggestions?.slice(0, 6);
    return draft(partnerEvents.AnswerRecorded, { call: step, text: await this.#long(reply.text), ...(suggestions ? { suggestions } : {}) }, this.#by('partner'));
  }

  async #thought(step: number, reply: ModelReply): Promise<EventDraft> {
    const reasoning = reply.reasoning ? { reasoning: await this.#long(reply.reasoning) } : {};
    return draft(partnerEvents.ThoughtRecorded, { call: step, text: await this.#long(reply.text), ...reasoning }, this.#by('partner'));
  }

  async #called(calls: readonly ReadCall[]): Promise<EventDraft[]> {
    return Promise.all(
      calls.map(async (c) => draft(partnerEvents.ToolCalled, { call: c.call, tool: c.name.slice(0, 200) || '?', args: await this.#long(c.rawArgs), shown: c.shown }, this.#by('partner'))),
    );
  }

  async #long(text: string) {
    const long = await toLongText(this.#deps.blobs, text);
    if (!long.ok) throw new LogRefused(long.error.code);
    return long.value;
  }

  /** The end of a run whose signal fired: stopped by the person, or interrupted because the app closes. */
  #halted(): EventDraft[] {
    throwIfRefused(this.#start.signal);
    return this.#start.signal.reason === 'closing' ? this.#end('RunInterrupted', {}) : this.#end('RunStopped', {});
  }

  #end<K extends 'RunCompleted' | 'RunStopped' | 'RunFailed' | 'RunLimitReached' | 'RunInterrupted'>(type: K, data: Parameters<(typeof partnerEvents)[K]['refs']>[0]): EventDraft[] {
    return [draft(partnerEvents[type] as never, data as never, this.#by('host'))];
  }

  #by(actor: 'host' | 'partner') {
    return { actor, run: this.#start.run };
  }

  async #finish(drafts: readonly EventDraft[]): Promise<void> {
    await this.#commit(drafts);
  }

  async #commit(drafts: readonly EventDraft[], durable = true): Promise<readonly StoredEvent[]> {
    const done = await this.#host.commit(drafts, { durable });
    if (!done.ok) throw new LogRefused(done.error.code);
    this.#learn(done.value);
    return done.value;
  }

  /** The host as helpers see it: what they record joins this run's context too. */
  #hostFor(): RunHost {
    return {
      ...this.#host,
      commit: async (drafts, options) => {
        const done = await this.#host.commit(drafts, options);
        if (!done.ok) throw new LogRefused(done.error.code);
        this.#learn(done.value);
        return done;
      },
    };
  }

  #learn(events: readonly StoredEvent[]): void {
    for (const event of events) this.#context = modelContext.project(this.#context, event as PartnerEvent);
  }
}

/** Blobs of a run that are held in memory; a request carries few more. */
const KNOWN_BLOBS = 64;

/** Every step sends again what the run has read: each blob is read from the disk and checked once, not once per step. The longest unused are let go. */
function readOnce(blobs: BlobStore): Pick<BlobStore, 'get'> {
  const known = new Map<Hash, ReturnType<BlobStore['get']>>();
  return {
    get(hash) {
      const reading = known.get(hash) ?? blobs.get(hash);
      known.delete(hash);
      known.set(hash, reading);
      const oldest = known.size > KNOWN_BLOBS ? known.keys().next() : null;
      if (oldest && !oldest.done) known.delete(oldest.value);
      return reading;
    },
  };
}
