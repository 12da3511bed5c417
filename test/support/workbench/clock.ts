import type { Clock } from '#main/ports/clock.ts';

/** A clock that the test drives: `advance` fires what came due, in order. Nothing waits for real time. */
export class DrivenClock implements Clock {
  #now: number;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  readonly #changed = new Set<() => void>();

  constructor(start = Date.UTC(2026, 11, 1, 8)) {
    this.#now = start;
  }
  now(): number {
    return this.#now;
  }
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, run: callback };
    this.#timers.push(timer);
    for (const changed of [...this.#changed]) changed();
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter((t) => t.at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((t) => t !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = until;
  }
  /** Resolves when a timer between the two bounds stands, and says how long it waits. */
  async waits(fromMs: number, toMs: number): Promise<number> {
    for (;;) {
      const found = this.#timers.map((t) => t.at - this.#now).find((ms) => ms >= fromMs && ms <= toMs);
      if (found !== undefined) return found;
      await new Promise<void>((done) => {
        const once = () => {
          this.#changed.delete(once);
          done();
        };
        this.#changed.add(once);
      });
    }
  }
}
