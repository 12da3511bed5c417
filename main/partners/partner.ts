import { draft, partnerEvents, type EventDraft, type PartnerEvent, type StoredEvent } from '#domain/events/index.ts';
import type { BatchId, PartnerId, RunId } from '#domain/ids.ts';
import { decide, type PartnerCommand } from '#domain/partner/decide.ts';
import { modelOf } from '#domain/partner/facts.ts';
import { evolve, type PartnerState } from '#domain/partner/state.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { ConversationPush, Finding, PartnerSummary } from '#main/api/views.ts';
import type { ChangeJournal, Changes } from '#main/changes/types.ts';
import type { EventLog } from '#main/log/types.ts';
import { inlineOf } from '#projections/conversation/turn.ts';
import { LogRefused } from '#main/agent/log-refused.ts';
import { newId } from '#main/ports/random.ts';
import type { Answer, PartnerCore } from './core.ts';
import type { History } from './history.ts';
import { cursorOf, firstPush, pageOfNow } from './first-push.ts';
import { DraftChannel } from './live-draft.ts';
import { journalFor } from './journal.ts';
import { startRun, type LiveRun } from './live-run.ts';
import { findingsOf } from './findings.ts';
import type { OpenedPartner, PartnerDeps } from './types.ts';
import { toWire } from './wire-event.ts';

const PREVIEW_CHARS = 200;
const WRITE_FAILED = 'writeFailed';

type Message = Omit<Extract<PartnerCommand, { do: 'SendMessage' }>, 'do'>;

/**
 * One open partner: decides commands on tentative state, appends, and publishes what was acknowledged.
 * Decide and enqueue are one synchronous step (design §3). The only writer of its log in this process.
 */
export class Partner implements PartnerCore {
  readonly id: PartnerId;
  readonly deps: PartnerDeps;
  readonly log: EventLog;
  readonly history: History;
  readonly changes: Changes;
  readonly #listeners = new Set<(push: ConversationPush) => void>();
  readonly #changed: (partner: Partner) => void;
  readonly #draft: DraftChannel;
  #findings: readonly Finding[];
  /** Ahead of the disk: what `decide` sees. */
  #state: PartnerState;
  /** What the disk has acknowledged: where a poisoned log falls back to. */
  #acknowledged: PartnerState;
  #last: { readonly message: string | null; readonly at: string };
  #live: LiveRun | null = null;
  #sending: Promise<unknown> = Promise.resolve();
  /** The end of a run that the log would not take yet. */
  #owed: EventDraft | null = null;
  #decisions = new Map<BatchId, (answer: Answer | null) => void>();
  #published: number;
  #stretch: string;

  constructor(opened: OpenedPartner, deps: PartnerDeps, state: PartnerState, last: { message: string | null; at: string }, changed: (partner: Partner) => void) {
    this.id = opened.id;
    this.log = opened.log;
    this.history = opened.history;
    this.deps = deps;
    this.#state = state;
    this.#acknowledged = state;
    this.#last = last;
    this.#published = opened.log.head().moment[opened.log.origin] ?? 0;
    this.#stretch = newId(deps.random, 'event');
    this.#changed = changed;
    this.#findings = findingsOf(opened.log.findings);
    this.changes = deps.changesFor(this.journal());
    this.#draft = new DraftChannel(deps.clock, (d) => this.#push({ kind: 'draft', draft: d }));
    opened.log.onUnreadable((finding) => {
      this.#findings = [...this.#findings, ...findingsOf([finding])];
      this.#changed(this);
    });
    opened.log.onPoisoned((error) => this.#thrownAway(error));
  }

  get state(): PartnerState {
    return this.#state;
  }

  summary(): PartnerSummary {
    const { facts, active } = this.#state;
    return {
      id: this.id, name: facts.name || this.id.slice(8, 14), face: facts.face, pinned: facts.pinned, permission: facts.permission,
      model: modelOf(facts, this.deps.defaultModel()), lastMessage: this.#last.message, lastAt: this.#last.at,
      // Until the end of the run is shown, not only decided: who waits for idle has then seen all of it.
      activity: this.#live ? (active?.status === 'waiting' ? 'waiting' : 'running') : 'idle',
      health: this.log.mode === 'open' ? 'well' : 'readOnly', findings: this.#findings,
    };
  }

  /** Decides and enqueues at once, resolves when durable. */
  async command(command: PartnerCommand): Promise<Result<readonly StoredEvent[], Failure>> {
    if (this.log.mode !== 'open') return fail('partner.readOnly');
    const decided = decide(this.#state, command);
    if (!decided.ok) return decided;
    return decided.value.length === 0 ? ok([]) : this.commit(decided.value);
  }

  /** Appends facts that need no decision (a run's own, the host's). Publishes after acknowledgement. */
  async commit(drafts: readonly EventDraft[], options: { readonly durable?: boolean } = {}): Promise<Result<readonly StoredEvent[], Failure>> {
    const { tentative, durable } = this.log.append(drafts, options);
    for (const event of tentative) this.#state = evolve(this.#state, event as PartnerEvent);
    const settled = durable.then((done) => {
      if (done.ok) this.#publish(done.value as readonly PartnerEvent[]);
      return done;
    });
    // A checkpoint does not wait for the disk: a later fact of this log covers it, or poisons it too.
    return options.durable === false ? ok(tentative) : settled;
  }

  /** Starts a run with a message. One message after the other: the second must see the first one's run. */
  send(message: Message): Promise<Result<{ readonly run: RunId }, Failure>> {
    const sent = this.#sending.then(() => this.#send(message));
    this.#sending = sent.catch(() => undefined);
    return sent;
  }

  async #send(message: Message): Promise<Result<{ readonly run: RunId }, Failure>> {
    // The run before may have written its end and still be tidying up: the next one waits for it.
    if (!this.#state.active) await this.#live?.ended;
    const orphan = await this.endOrphan();
    if (!orphan.ok) return orphan;
    const port = await this.deps.modelFor(message.model);
    if (!port.ok) return port;
    const sent = await this.command({ do: 'SendMessage', ...message });
    if (!sent.ok) return sent;
    const live = startRun(this, { run: message.run, opening: sent.value, model: message.model, permission: message.permission, language: message.language, addresses: message.addresses, port: port.value });
    this.#live = live;
    void live.ended.then(() => {
      if (this.#live === live) {
        this.#live = null;
        this.#draft.end();
      }
      this.#changed(this);
    });
    this.#changed(this);
    return ok({ run: message.run });
  }

  /** Stops the run in flight, also before its first token and while it waits for a yes. */
  async stop(channel: 'window' | 'web' | 'cli'): Promise<Result<{ readonly stopped: boolean }, Failure>> {
    // A message on its way to the disk has no run yet; it will in a moment.
    if (!this.#live) await this.#sending;
    const live = this.#live;
    if (!live) return ok({ stopped: false });
    // The fact is in line, the stop does not wait for the disk: nothing begins or is approved in between,
    // and even when the log refuses the fact the person is obeyed.
    const asking = this.command({ do: 'RequestStop', channel });
    live.abort('person');
    this.#answerNobody();
    const asked = await asking;
    await live.ended;
    return asked.ok || asked.error.code === 'run.none' ? ok({ stopped: true }) : asked;
  }

  async decideApproval(command: Omit<Extract<PartnerCommand, { do: 'DecideApproval' }>, 'do'>): Promise<Result<{ readonly run: RunId }, Failure>> {
    const waiter = this.#decisions.get(command.batch);
    const run = this.#state.active?.run;
    if (!waiter || !run) return fail('approval.gone');
    const decided = await this.command({ do: 'DecideApproval', ...command });
    if (!decided.ok) return decided;
    this.#decisions.delete(command.batch);
    waiter(new Map(command.decisions.map((d) => [d.call, d])));
    return ok({ run });
  }

  /** A run's side of an approval: resolves with the person's answer, or null when the run is stopped. */
  decision(batch: BatchId): Promise<Answer | null> {
    return new Promise((answer) => this.#decisions.set(batch, answer));
  }

  draft(run: RunId, call: number, offset: number, text: string, thinking: boolean): void {
    this.#draft.take(run, call, offset, text, thinking);
  }

  /** A run whose process died, or whose log refused its end: marked, never continued by itself (I11). */
  async endOrphan(): Promise<Result<unknown, Failure>> {
    if (!this.#state.active || this.#live || this.log.mode !== 'open') return ok();
    const { run } = this.#state.active;
    return this.commit([this.#owed?.run === run ? this.#owed : draft(partnerEvents.RunInterrupted, {}, { actor: 'host', run })]);
  }

  async endBroken(ending: EventDraft): Promise<void> {
    this.#owed = ending;
    const done = await this.commit([ending]);
    if (done.ok) this.#owed = null;
  }

  #answerNobody(): void {
    for (const answer of this.#decisions.values()) answer(null);
    this.#decisions.clear();
  }

  journal(): ChangeJournal {
    return journalFor((drafts) => this.commit(drafts), this.deps.kept);
  }

  /** The last seq that followers were shown. */
  get published(): number {
    return this.#published;
  }

  get stretch(): string {
    return this.#stretch;
  }

  /** Follows this conversation: a page, or what came after `from` when that is near; then everything since, then the live text. */
  async follow(from: string | null, onPush: (push: ConversationPush, cursor: string) => void): Promise<() => void> {
    const missed: { readonly push: ConversationPush; readonly cursor: string }[] = [];
    const cursor = () => cursorOf(this, this.#published);
    let listener: (push: ConversationPush) => void = (push) => missed.push({ push, cursor: cursor() });
    const listening = (push: ConversationPush) => listener(push);
    this.#listeners.add(listening);
    try {
      const first = await firstPush(this, from);
      onPush(first.push, cursorOf(this, first.seq));
      // Live text that came meanwhile is in what `current` gives; it stands after the facts it belongs behind.
      let after = first.seq;
      for (const { push, cursor: at } of missed) {
        if (push.kind === 'page') after = 0;
        if (push.kind === 'page' || (push.kind === 'events' && push.events.some((e) => e.seq > after))) onPush(push, at);
      }
      const live = this.#draft.current();
      if (live) onPush({ kind: 'draft', draft: live }, cursor());
      listener = (push) => onPush(push, cursor());
    } catch (cause) {
      this.#listeners.delete(listening);
      throw cause;
    }
    return () => this.#listeners.delete(listening);
  }

  async close(): Promise<void> {
    this.#live?.abort('closing');
    this.#answerNobody();
    await this.#live?.ended;
    await this.history.close();
    // Closing makes the last checkpoints durable: only then is the end anchored.
    await this.log.close();
    this.deps.anchor(this.id, this.log.head());
  }

  #publish(events: readonly PartnerEvent[]): void {
    this.history.note(events);
    if (!this.#live || events.some((e) => ENDS.has(e.type))) this.#findings = this.#findings.filter((f) => f.code !== WRITE_FAILED);
    for (const event of events) this.#acknowledged = evolve(this.#acknowledged, event);
    for (const event of events) {
      if (event.type === 'MessageSent' && event.data) this.#last = { message: inlineOf(event.data.text).text.slice(0, PREVIEW_CHARS).toWellFormed(), at: event.at };
    }
    if (events.some((e) => ENDS.has(e.type))) this.deps.anchor(this.id, this.log.head());
    // Checkpoints too: who followed from the start and who comes later must fold the same, also what a stop leaves.
    const shown = events.filter((e) => e.type !== 'ModelAsked');
    if (events.some((e) => e.type === 'ThoughtRecorded' || e.type === 'AnswerRecorded')) this.#draft.end();
    // Only now: live text that `end` still sent stands before these events, and so must its cursor.
    this.#published = events.at(-1)?.seq ?? this.#published;
    if (shown.length > 0) this.#push({ kind: 'events', events: shown.map(toWire) });
    this.#changed(this);
  }

  #push(push: ConversationPush): void {
    for (const listener of [...this.#listeners]) listener(push);
  }

  /** The log was cut back to what was acknowledged: everything built on more is rebuilt from it (design §3). */
  #thrownAway(error: Failure): void {
    this.#live?.abort(new LogRefused(error.code));
    this.#answerNobody();
    if (!this.#findings.some((f) => f.code === WRITE_FAILED)) this.#findings = [...this.#findings, { code: WRITE_FAILED, params: {} }];
    this.#state = this.#acknowledged;
    // Checkpoints that were shown may be among what was taken back; their numbers are given again.
    this.#published = Math.min(this.#published, this.log.head().moment[this.log.origin] ?? 0);
    this.#stretch = newId(this.deps.random, 'event');
    this.#changed(this);
    // Followers may have been shown what was taken back: they get a page that holds all that stands now.
    void this.#pushPage().catch((cause: unknown) => this.deps.report('page after a failed write', cause));
  }

  /** Shows the newest page, with everything in it that was shown up to then. */
  async #pushPage(): Promise<void> {
    for (;;) {
      const { page, seq } = await pageOfNow(this);
      if (seq === this.#published) return this.#push({ kind: 'page', page });
    }
  }
}

const ENDS = new Set(['RunCompleted', 'RunStopped', 'RunFailed', 'RunLimitReached', 'RunInterrupted']);
