/** One subscription's way to push: data and the cursor to resume from. */
export type Push = (data: unknown, cursor: string) => void;

/** Topics that are pushed whole or by row: `app` and `partners`. Cursors only count pushes; a resume gets a snapshot. */
export class Broadcast<T> {
  readonly #listeners = new Set<(data: T, cursor: string) => void>();
  #count = 0;

  follow(snapshot: T, push: Push): () => void {
    push(snapshot, String(this.#count));
    this.#listeners.add(push);
    return () => this.#listeners.delete(push);
  }

  push(data: T): void {
    this.#count++;
    for (const listener of [...this.#listeners]) listener(data, String(this.#count));
  }
}
