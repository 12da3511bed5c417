/** How long after a composition ends an Enter still belongs to it (some systems end it before its own key). */
const AFTER_MS = 60;

/** Tells an Enter that confirms a word of an IME from one that sends. */
export class EnterGuard {
  #open = false;
  #endedAt = -Infinity;

  start(): void {
    this.#open = true;
  }
  end(at: number): void {
    this.#open = false;
    this.#endedAt = at;
  }
  composing(event: { readonly isComposing: boolean; readonly keyCode: number; readonly timeStamp: number }): boolean {
    return this.#open || event.isComposing || event.keyCode === 229 || event.timeStamp - this.#endedAt < AFTER_MS;
  }
}
