import { draft, partnerEvents, type EventDraft, type StoredEvent } from '#domain/events/index.ts';
import type { Hash, OriginId, RunId } from '#domain/ids.ts';
import { newId } from '#main/ports/random.ts';
import { checkpoint, erased, message, named, type seeded } from './log-world.ts';

type Seeded = ReturnType<typeof seeded>;
interface Started {
  readonly run: RunId;
  readonly origin: OriginId;
  readonly seq: number;
}

/** A random but lawful history: turns, checkpoints, changes, reverts of old turns, late settlements, facts, erasures. */
export class Story {
  readonly #random: Seeded;
  readonly turns: Started[] = [];
  #n = 0;
  #erased = false;

  constructor(random: Seeded) {
    this.#random = random;
  }

  /** The next few facts, to be appended together. */
  next(origin: OriginId, head: number): EventDraft[] {
    const r = this.#random;
    const dice = r.below(100);
    const run = this.turns.at(-1)?.run ?? null;
    const by = { actor: 'partner' as const, run };
    const n = ++this.#n;
    if (dice < 22 || run === null) return [message(`message ${n}`, newId(r, 'run'))];
    if (dice < 32) return [checkpoint(`part ${n}`, run)];
    if (dice < 42) return [draft(partnerEvents.ThoughtRecorded, { call: n, text: { text: `thought ${n}` } }, by)];
    if (dice < 52) return [draft(partnerEvents.AnswerRecorded, { call: n, text: { text: `answer ${n}` } }, by), draft(partnerEvents.RunCompleted, {}, by)];
    if (dice < 66) return [draft(partnerEvents.FileChanged, this.#change(n), by)];
    if (dice < 76) {
      const turn = this.turns[r.below(this.turns.length)]!;
      const target = { origin: turn.origin, seq: turn.seq, run: turn.run, record: newId(r, 'change'), undo: r.below(2) === 0 };
      return [draft(partnerEvents.FileChanged, { ...this.#change(n), op: 'revert', reverts: target }, { actor: 'host', run: r.below(4) === 0 ? run : null })];
    }
    if (dice < 80) return [draft(partnerEvents.FileChanged, this.#change(n), { actor: 'host', run: this.turns[r.below(this.turns.length)]!.run })];
    if (dice < 84) return [draft(partnerEvents.RunInterrupted, {}, { actor: 'host', run: newId(r, 'run') })];
    // A run whose message was erased gets no second one: that would be a new turn, and `decide` makes none.
    if (dice < 87 && !this.#erased && this.turns.at(-1)?.origin === origin) return [message(`more ${n}`, run)];
    if (dice < 97) return [this.#fact(n)];
    const from = 1 + r.below(Math.max(1, head));
    this.#erased = true;
    return [erased(origin, from, Math.min(head, from + r.below(12)))];
  }

  /** Remembers the turns among acknowledged events. */
  take(events: readonly StoredEvent[]): void {
    for (const e of events) if (e.type === 'MessageSent' && e.run && e.run !== this.turns.at(-1)?.run) {
      this.#erased = false;
      this.turns.push({ run: e.run, origin: e.origin, seq: e.seq });
    }
  }

  #change(n: number) {
    const state = { kind: 'file' as const, hash: n.toString(16).padStart(64, '0') as Hash, size: n, mode: 0o644, blob: false };
    return { change: newId(this.#random, 'change'), call: null, op: 'write' as const, path: `/w/${n % 5}.txt`, kind: 'file' as const, address: null, before: n % 3 ? state : null, after: { ...state, size: n + 1 } };
  }

  #fact(n: number): EventDraft {
    const by = { actor: 'person' as const };
    switch (n % 6) {
      case 0: return draft(partnerEvents.PartnerCreated, { name: `made ${n}`, face: { shape: 'drop', colour: 'lake' } }, by);
      case 1: return draft(partnerEvents.PartnerPinned, {}, by);
      case 2: return draft(partnerEvents.PartnerUnpinned, {}, by);
      case 3: return draft(partnerEvents.PermissionChosen, { permission: n % 4 ? 'full' : 'review', channel: 'cli' }, by);
      case 4: return draft(partnerEvents.ModelChosen, { model: { provider: 'local' as never, model: `m${n}` } }, by);
      default: return named(`name ${n}`);
    }
  }
}
