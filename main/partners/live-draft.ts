import type { RunId } from '#domain/ids.ts';
import type { LiveDraft } from '#main/api/views.ts';
import type { Clock } from '#main/ports/clock.ts';

/** Pieces are joined for this long before they are sent: the eye sees no difference, the socket does. */
const JOIN_MS = 33;

/** The live text of the model call in flight, joined into few pushes; a new subscriber gets it whole. */
export class DraftChannel {
  readonly #clock: Clock;
  readonly #push: (draft: LiveDraft) => void;
  #current: LiveDraft | null = null;
  #pending: LiveDraft | null = null;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, push: (draft: LiveDraft) => void) {
    this.#clock = clock;
    this.#push = push;
  }

  /** What a new subscriber must know to follow; who follows already gets what waits first, so that nothing comes twice. */
  current(): LiveDraft | null {
    this.#flush();
    return this.#current;
  }

  take(run: RunId, call: number, offset: number, text: string, thinking: boolean): void {
    const same = this.#current?.run === run && this.#current.call === call && offset > 0;
    this.#current = { run, call, offset: 0, text: same ? this.#current!.text + text : text, thinking };
    const pending = this.#pending;
    if (pending && pending.run === run && pending.call === call && pending.offset + pending.text.length === offset) {
      this.#pending = { ...pending, text: pending.text + text, thinking };
    } else {
      this.#flush();
      this.#pending = { run, call, offset, text, thinking };
    }
    this.#cancel ??= this.#clock.after(JOIN_MS, () => this.#flush());
  }

  /** The call's text is a fact now, or gone. */
  end(): void {
    this.#flush();
    this.#current = null;
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const pending = this.#pending;
    this.#pending = null;
    if (pending) this.#push(pending);
  }
}
