import { openDB, type DBSchema, type IDBPDatabase } from 'idb';

interface DraftSchema extends DBSchema {
  drafts: { key: string; value: { readonly partner: string; readonly text: string; readonly at: number } };
}

/** Where unsent text survives a reload, by partner. */
export interface DraftStore {
  read(partner: string): Promise<string>;
  write(partner: string, text: string): Promise<void>;
}

/** The unsent-draft journal in the browser's own database. A browser that refuses storage loses only this. */
export function idbDrafts(): DraftStore {
  let opened: Promise<IDBPDatabase<DraftSchema>> | null = null;
  const db = () => (opened ??= openDB<DraftSchema>('curator-drafts', 1, { upgrade: (d) => void d.createObjectStore('drafts', { keyPath: 'partner' }) }));
  return {
    async read(partner) {
      try {
        return (await (await db()).get('drafts', partner))?.text ?? '';
      } catch {
        return '';
      }
    },
    async write(partner, text) {
      try {
        if (text === '') await (await db()).delete('drafts', partner);
        else await (await db()).put('drafts', { partner, text, at: Date.now() });
      } catch {
        // Storage can be full or switched off; what is being written is still in the box.
      }
    },
  };
}

/** Writes at most once per `wait` ms and partner, the newest text last; `flush` writes what still waits. */
export class DraftJournal {
  readonly #store: DraftStore;
  readonly #wait: number;
  readonly #waiting = new Map<string, { text: string; timer: ReturnType<typeof setTimeout> }>();

  constructor(store: DraftStore, wait = 250) {
    this.#store = store;
    this.#wait = wait;
  }

  /** What was last typed for a partner, written or not. */
  async read(partner: string): Promise<string> {
    return this.#waiting.get(partner)?.text ?? this.#store.read(partner);
  }

  write(partner: string, text: string): void {
    const before = this.#waiting.get(partner);
    if (before) clearTimeout(before.timer);
    this.#waiting.set(partner, { text, timer: setTimeout(() => void this.#put(partner), this.#wait) });
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((partner) => this.#put(partner)));
  }

  async #put(partner: string): Promise<void> {
    const entry = this.#waiting.get(partner);
    if (!entry) return;
    clearTimeout(entry.timer);
    this.#waiting.delete(partner);
    await this.#store.write(partner, entry.text);
  }
}
