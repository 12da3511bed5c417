import { topics } from '#main/api/service.ts';
import type { AppPush, AppView, ConversationPush, PartnersPush, PartnerSummary } from '#main/api/views.ts';
import type { PartnerId } from '#domain/ids.ts';
import type { Failure } from '#domain/result.ts';
import { emptyTalk, foldPush, withOlder, type TalkView } from './conversation-fold.ts';
import type { Link } from './link.svelte.ts';
import { foldPartners, type PartnersView } from './partners-fold.ts';

/** What belongs to no partner; null until it came. A failure here means that the workbench cannot open at all. */
export class AppFeed {
  #view = $state.raw<AppView | null>(null);
  #failure = $state.raw<Failure | null>(null);
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
    link.subscribe(topics.app, (data) => this.take((data as AppPush).app));
  }

  get view(): AppView | null {
    return this.#view;
  }
  get failure(): Failure | null {
    return this.#failure;
  }

  /** Asks once, since a refusal comes only as an answer and never as a push. */
  async load(): Promise<void> {
    const done = await this.#link.call['app.view']({});
    if (done.ok) this.take(done.value);
    else if (done.error.code !== 'port.closed') this.#failure = done.error;
  }

  /** A call's answer counts like a push, so the screen need not wait for it. */
  take(view: AppView): void {
    this.#view = view;
    this.#failure = null;
  }
}

/** The sidebar's list. */
export class PartnersFeed {
  #view = $state.raw<PartnersView>(null);

  constructor(link: Link) {
    link.subscribe(topics.partners, (data) => {
      this.#view = foldPartners(this.#view, data as PartnersPush);
    });
  }

  get view(): PartnersView {
    return this.#view;
  }
  take(partner: PartnerSummary): void {
    this.#view = foldPartners(this.#view, { kind: 'changed', partner });
  }
  forget(partner: PartnerId): void {
    this.#view = foldPartners(this.#view, { kind: 'gone', partner });
  }
}

const PAGE = 30;

/** One partner's conversation while it is on screen. */
export class ConversationFeed {
  #view = $state.raw<TalkView>(emptyTalk);
  #loadingOlder = $state.raw(false);
  readonly #link: Link;
  readonly #partner: PartnerId;
  #failure = $state.raw<Failure | null>(null);
  #end: () => void;

  constructor(link: Link, partner: PartnerId) {
    this.#link = link;
    this.#partner = partner;
    this.#end = this.#follow();
  }

  /** Why the conversation cannot be shown, or null. */
  get failure(): Failure | null {
    return this.#failure;
  }
  /** Asks for the newest page again after a refusal. */
  async load(): Promise<void> {
    if (this.#view.loaded || this.#link.state.kind !== 'open') return;
    const done = await this.#link.call['conversation.page']({ partner: this.#partner, limit: PAGE });
    if (!done.ok) this.#failure = done.error.code === 'port.closed' ? null : done.error;
    else if (!this.#view.loaded) this.#take({ kind: 'page', page: done.value });
  }

  get view(): TalkView {
    return this.#view;
  }
  get loadingOlder(): boolean {
    return this.#loadingOlder;
  }

  /** Loads the page before the oldest turn. */
  async older(): Promise<void> {
    const first = this.#view.turns[0];
    if (!first || !this.#view.older || this.#loadingOlder) return;
    this.#loadingOlder = true;
    const done = await this.#link.call['conversation.page']({ partner: this.#partner, before: first.lamport, limit: PAGE });
    if (done.ok) this.#view = withOlder(this.#view, done.value);
    this.#loadingOlder = false;
  }

  close(): void {
    this.#end();
  }

  #follow(): () => void {
    return this.#link.subscribe(topics.conversation(this.#partner), (data) => this.#take(data as ConversationPush), (failure) => (this.#failure = failure));
  }

  #take(push: ConversationPush): void {
    const { view, resync } = foldPush(this.#view, push);
    this.#view = view;
    this.#failure = null;
    if (!resync) return;
    // A new subscription begins with a snapshot that holds the live text whole.
    this.#end();
    this.#end = this.#follow();
  }
}
