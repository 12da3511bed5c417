import { draft, partnerEvents } from '#domain/events/index.ts';
import type { Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { ModelDelta, ModelFailure, ModelReply, ModelRequest } from '#main/model/types.ts';
import { throwIfRefused } from './log-refused.ts';
import { classifyLlmRetry, retryDelayMs } from './retry.ts';
import type { RunDeps, RunHost, RunStart } from './types.ts';

/** Live text is checkpointed at most this often, without its own fsync (design §3, Streams). */
const CHECKPOINT_MS = 500;

/** One model call with its retries (WB-COMPOSER-015). A retry starts from nothing: attempts are never joined (WB-COMPOSER-014-AC3). */
export async function callModel(deps: RunDeps, host: RunHost, start: RunStart, call: number, request: ModelRequest): Promise<Result<ModelReply, ModelFailure>> {
  const by = { actor: 'host' as const, run: start.run };
  const of = deps.limits.retries;
  for (let attempt = 0; ; ) {
    const live = new LiveDraft(deps.clock, host, start, call);
    const reply = await start.port.complete(request, (d) => live.take(d), start.signal);
    await live.settled();
    throwIfRefused(start.signal);
    if (start.signal.aborted) {
      await live.keep();
      if (attempt > 0) await host.commit([draft(partnerEvents.RetrySettled, { call, attempt, of, outcome: 'stopped' }, by)]);
      return { ok: false, error: { kind: 'stopped', code: 'run.stopped' } };
    }
    if (reply.ok) {
      if (attempt > 0) await host.commit([draft(partnerEvents.RetrySettled, { call, attempt, of, outcome: 'recovered' }, by)]);
      return reply;
    }
    const kind = classifyLlmRetry(reply.error);
    if (kind === 'never' || attempt >= of) {
      await live.keep();
      if (attempt > 0) await host.commit([draft(partnerEvents.RetrySettled, { call, attempt, of, outcome: 'exhausted' }, by)]);
      return reply;
    }
    attempt++;
    const unit = (deps.random.bytes(1)[0] ?? 0) / 255;
    const delayMs = Math.round(retryDelayMs(kind, attempt, reply.error.retryAfterMs, unit));
    await host.commit([draft(partnerEvents.RetryScheduled, { call, attempt, of, delayMs, code: reply.error.code }, by)]);
    await pause(deps.clock, delayMs, start.signal);
  }
}

/** Waits, but not past a stop. */
function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      done();
    };
    const cancel = clock.after(ms, finish);
    signal.addEventListener('abort', finish);
  });
}

/** The text of a call in flight: broadcast as it comes, checkpointed now and then. */
class LiveDraft {
  readonly #clock: Clock;
  readonly #host: RunHost;
  readonly #start: RunStart;
  readonly #call: number;
  #length = 0;
  #unsaved = '';
  #savedAt: number;
  #saving: Promise<unknown> = Promise.resolve();
  #failed: unknown = null;

  constructor(clock: Clock, host: RunHost, start: RunStart, call: number) {
    this.#clock = clock;
    this.#host = host;
    this.#start = start;
    this.#call = call;
    this.#savedAt = clock.now();
    host.draft(call, 0, '', true);
  }

  take(delta: ModelDelta): void {
    if (delta.kind === 'reasoning' || this.#start.signal.aborted) return;
    if (delta.kind === 'call') return this.#host.draft(this.#call, this.#length, '', false);
    this.#host.draft(this.#call, this.#length, delta.text, false);
    this.#length += delta.text.length;
    this.#unsaved += delta.text;
    if (this.#clock.now() - this.#savedAt >= CHECKPOINT_MS) this.#save();
  }

  #save(): void {
    this.#savedAt = this.#clock.now();
    // A surrogate pair split between two pieces waits for its second half.
    const cut = /[\ud800-\udbff]$/.test(this.#unsaved) ? this.#unsaved.length - 1 : this.#unsaved.length;
    for (let at = 0; at < cut; ) {
      let end = Math.min(cut, at + 30_000);
      if (end < cut && /[\ud800-\udbff]/.test(this.#unsaved[end - 1] ?? '')) end--;
      const piece = this.#unsaved.slice(at, end).toWellFormed();
      const fact = draft(partnerEvents.DraftCheckpointed, { call: this.#call, text: piece }, { actor: 'partner', run: this.#start.run });
      this.#saving = this.#saving.then(() => this.#host.commit([fact], { durable: false })).catch((cause: unknown) => { this.#failed ??= cause; });
      at = end;
    }
    this.#unsaved = this.#unsaved.slice(cut);
  }

  /** What came since the last checkpoint, when no later fact will hold it: a person who stopped keeps what they read. */
  async keep(): Promise<void> {
    this.#save();
    await this.settled();
  }

  /** Waits for checkpoints on their way; a log that refused one ends the run here. */
  async settled(): Promise<void> {
    await this.#saving;
    if (this.#failed) throw this.#failed;
  }
}
