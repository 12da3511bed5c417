import type { ChangeId, Hash, PartnerId, RunId } from '#domain/ids.ts';
import type { Failure, Result } from '#domain/result.ts';
import { say, type Language, type Params, type WordKey } from '#domain/words/words.ts';
import type { AppView, PartnerSummary } from '#main/api/views.ts';
import { AppFeed, PartnersFeed, type ConversationFeed } from '../feeds/feeds.svelte.ts';
import type { Link } from '../feeds/link.svelte.ts';
import type { LinkTarget } from '../ui/markdown/links.ts';
import { DraftJournal, idbDrafts } from './drafts.ts';
import { Panel } from './panel.svelte.ts';
import { readPrefs, writePrefs } from './prefs.ts';
import { Toasts } from './toasts.svelte.ts';

export type SettingsPage = 'general' | 'addresses' | 'models' | 'storage' | 'about';
export interface RevertRequest {
  readonly partner: PartnerId;
  readonly run: RunId;
  readonly record: ChangeId | null;
  /** What the dialog names. */
  readonly name: string;
  readonly count: number;
  readonly created: boolean;
  readonly undo: boolean;
  /** Puts this kept save back instead of what was before the change. */
  readonly kept?: Hash;
}
/** The one dialog that may be open. Small ones of a page live in that page. */
export type Dialog =
  | { readonly kind: 'createPartner' }
  | { readonly kind: 'editPartner'; readonly partner: PartnerSummary }
  | { readonly kind: 'deletePartner'; readonly partner: PartnerSummary }
  | { readonly kind: 'addFolder' }
  | { readonly kind: 'shortcuts' }
  | { readonly kind: 'fullAccess'; readonly partner: PartnerSummary }
  | { readonly kind: 'export'; readonly partner: Pick<PartnerSummary, 'id' | 'name'> }
  | { readonly kind: 'revert'; readonly request: RevertRequest }
  | { readonly kind: 'link'; readonly target: Extract<LinkTarget, { kind: 'web' | 'mail' }> };

/** What one window shows and does. Views come from feeds; everything else here is this window's own. */
export class Workbench {
  readonly link: Link;
  readonly app: AppFeed;
  readonly partners: PartnersFeed;
  readonly panel = new Panel();
  readonly toasts = new Toasts();
  readonly drafts = new DraftJournal(idbDrafts());
  #selected = $state.raw<string | null>(readPrefs().partner);
  #settings = $state.raw<SettingsPage | null>(null);
  #dialog = $state.raw<Dialog | null>(null);
  #sidebar = $state.raw(readPrefs().sidebar);
  #now = $state.raw(Date.now());
  /** The conversation on screen; the panel reads its records from it. */
  #feed = $state.raw<ConversationFeed | null>(null);
  /** The same outside of reactivity: a component that is being torn down reads the values from before. */
  #feedNow: ConversationFeed | null = null;
  /** Asked for by shortcuts; the composer and the card listen. */
  focusComposer: (() => void) | null = null;
  approvalKeys: ((what: 'approve' | 'reject' | 'previous' | 'next') => void) | null = null;

  constructor(link: Link) {
    this.link = link;
    this.app = new AppFeed(link);
    this.partners = new PartnersFeed(link);
    setInterval(() => (this.#now = Date.now()), 30_000);
  }

  get now(): number {
    return this.#now;
  }
  get language(): Language {
    const chosen = this.app.view?.language ?? readPrefs().language;
    return chosen === 'system' ? (navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en') : chosen;
  }
  readonly t = (key: WordKey, params: Params = {}): string => say(this.language, key, params);

  /** The partner on screen; a selection whose partner is gone counts as none. */
  readonly partner: PartnerSummary | null = $derived.by(() => this.partners.view?.find((p) => p.id === this.#selected) ?? null);

  select(partner: PartnerId): void {
    this.#selected = partner;
    this.#settings = null;
    writePrefs({ partner });
  }
  /** Moves the selection along the sidebar. */
  step(by: 1 | -1): void {
    const list = this.partners.view ?? [];
    const at = list.findIndex((p) => p.id === this.#selected);
    const next = list[(at + by + list.length) % list.length];
    if (next) this.select(next.id);
  }

  get settings(): SettingsPage | null {
    return this.#settings;
  }
  openSettings(page: SettingsPage | null): void {
    this.#settings = page;
  }
  get dialog(): Dialog | null {
    return this.#dialog;
  }
  open(dialog: Dialog): void {
    this.#dialog = dialog;
  }
  closeDialog(): void {
    this.#dialog = null;
  }
  get sidebar(): boolean {
    return this.#sidebar;
  }
  toggleSidebar(): void {
    this.#sidebar = !this.#sidebar;
    writePrefs({ sidebar: this.#sidebar });
  }

  /** What had the keyboard is gone: the message box gets it, or the first thing of the page that stands there instead. */
  refocus(): void {
    if (document.activeElement !== document.body || document.querySelector('dialog[open]')) return;
    if (this.focusComposer) this.focusComposer();
    else document.querySelector<HTMLElement>('.main [aria-current=page], .main .gate button, .main button')?.focus();
  }

  /** Awaits a call; a failure becomes a notice and null. */
  async done<T>(result: Promise<Result<T, Failure>>): Promise<T | null> {
    const r = await result;
    if (r.ok) return r.value;
    this.toasts.failed(r.error);
    return null;
  }
  /** Awaits a call that answers with the whole app view. */
  async doneApp(result: Promise<Result<AppView, Failure>>): Promise<boolean> {
    const view = await this.done(result);
    if (view) this.app.take(view);
    return view !== null;
  }
  /** Awaits a call that answers with a partner's row. */
  async donePartner(result: Promise<Result<PartnerSummary, Failure>>): Promise<PartnerSummary | null> {
    const partner = await this.done(result);
    if (partner) this.partners.take(partner);
    return partner;
  }

  /** First steps in one: sample folder, a partner for it, and the first question ready to send. */
  async trySample(): Promise<void> {
    const sample = await this.done(this.link.call['sample.create']({}));
    if (!sample) return;
    this.app.take(sample.app);
    const known = this.partners.view?.[0];
    const partner = known ?? (await this.donePartner(this.link.call['partner.create']({ name: this.t('empty.samplePartner'), face: { shape: 'cloud', colour: 'celadon' } })));
    if (!partner) return;
    this.drafts.write(partner.id, this.t('empty.sampleFirst'));
    this.select(partner.id);
  }

  get feed(): ConversationFeed | null {
    return this.#feed;
  }
  enter(feed: ConversationFeed): void {
    this.#feed = this.#feedNow = feed;
  }
  leave(feed: ConversationFeed): void {
    feed.close();
    if (this.#feedNow === feed) this.#feed = this.#feedNow = null;
  }

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.toasts.note(this.t('talk.copied'));
    } catch (cause) {
      this.toasts.failed({ code: 'copy', detail: String(cause) });
    }
  }

  /** Links never leave by themselves: the web and mail ask first, files are judged by the host. */
  openLink(target: LinkTarget): void {
    if (target.kind === 'web' || target.kind === 'mail') this.open({ kind: 'link', target });
    else if (target.kind === 'file') void this.done(this.link.call['file.reveal']({ path: target.path }));
  }
}
