import type { Failure } from '#domain/result.ts';

export interface Toast {
  readonly id: number;
  readonly kind: 'error' | 'note';
  readonly text: string;
  readonly failure: Failure | null;
}

const STAYS_MS = 4000;

/** Short notices. A failure stays until it is dismissed; a note leaves by itself. */
export class Toasts {
  #list = $state.raw<readonly Toast[]>([]);
  #next = 1;

  get list(): readonly Toast[] {
    return this.#list;
  }

  note(text: string): void {
    const toast: Toast = { id: this.#next++, kind: 'note', text, failure: null };
    this.#list = [...this.#list.filter((t) => t.text !== text), toast].slice(-3);
    setTimeout(() => this.dismiss(toast.id), STAYS_MS);
  }

  /** The same failure twice stands once. */
  failed(failure: Failure): void {
    const same = this.#list.find((t) => t.failure?.code === failure.code);
    const toast: Toast = { id: same?.id ?? this.#next++, kind: 'error', text: '', failure };
    this.#list = [...this.#list.filter((t) => t !== same), toast].slice(-3);
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((t) => t.id !== id);
  }
}
