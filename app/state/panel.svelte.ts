import type { ChangeId, Hash, PartnerId, RunId } from '#domain/ids.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import { readPrefs, writePrefs } from './prefs.ts';

/** A tab shows one record of one run. One tab per path: opening another record of it takes its place. */
export interface PanelTab {
  readonly partner: PartnerId;
  readonly run: RunId;
  readonly record: ChangeId;
  readonly path: string;
  /** A kept save that is compared with what stands; null: the change itself. */
  readonly kept: Hash | null;
}

/** The resource panel: which records are open, and how wide it stands. */
export class Panel {
  #tabs = $state.raw<readonly PanelTab[]>([]);
  #current = $state.raw<PanelTab | null>(null);
  #open = $state.raw(false);
  #ratio = $state.raw(readPrefs().panelRatio);

  get tabs(): readonly PanelTab[] {
    return this.#tabs;
  }
  get current(): PanelTab | null {
    return this.#current;
  }
  get open(): boolean {
    return this.#open;
  }
  get ratio(): number {
    return this.#ratio;
  }

  toggle(open = !this.#open): void {
    this.#open = open;
  }
  setRatio(ratio: number): void {
    this.#ratio = Math.max(0.1, Math.min(0.9, ratio));
    writePrefs({ panelRatio: this.#ratio });
  }

  show(partner: PartnerId, run: RunId, record: ChangeRecord, kept: Hash | null = null): void {
    const tab: PanelTab = { partner, run, record: record.record, path: record.path, kept };
    const at = this.#tabs.findIndex((t) => t.partner === partner && t.path === tab.path);
    this.#tabs = at < 0 ? [...this.#tabs, tab] : this.#tabs.map((t, i) => (i === at ? tab : t));
    this.#current = tab;
    this.#open = true;
  }
  select(tab: PanelTab): void {
    this.#current = tab;
  }
  close(tab: PanelTab): void {
    const at = this.#tabs.indexOf(tab);
    this.#tabs = this.#tabs.filter((t) => t !== tab);
    if (this.#current === tab) this.#current = this.#tabs[Math.min(at, this.#tabs.length - 1)] ?? null;
    if (this.#tabs.length === 0) this.#open = false;
  }
  /** Tabs of a partner that is gone go with it. */
  forget(partner: PartnerId): void {
    for (const tab of this.#tabs.filter((t) => t.partner === partner)) this.close(tab);
  }
}
