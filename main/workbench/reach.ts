import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';

/** What a person does not notice. A share that has gone may answer after minutes, and nobody waits for it to see the rest. */
const LOOK_MS = 350;

/** Whether folders can be reached, told at once: what a slow drive said last until it says more. */
export class Reach {
  readonly #fs: Pick<FsPort, 'stat'>;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #last = new Map<string, boolean>();

  /** @param changed called when a late answer differs from what was told */
  constructor(fs: Pick<FsPort, 'stat'>, clock: Clock, changed: () => void) {
    this.#fs = fs;
    this.#clock = clock;
    this.#changed = changed;
  }

  /** True when the path is a folder; an unknown one that does not answer in time counts as unreachable until it does. */
  async look(path: string): Promise<boolean> {
    const looking = this.#fs.stat(path).then((s) => s.kind === 'folder', () => false);
    const told = await new Promise<boolean | null>((answer) => {
      const cancel = this.#clock.after(LOOK_MS, () => answer(null));
      void looking.then((there) => {
        cancel();
        answer(there);
      });
    });
    if (told !== null) {
      this.#last.set(path, told);
      return told;
    }
    const shown = this.#last.get(path) ?? false;
    void looking.then((there) => {
      this.#last.set(path, there);
      if (there !== shown) this.#changed();
    });
    return shown;
  }
}
