import { clientOf, connect, type Connection, type WorkbenchClient } from '#main/api/client.ts';
import type { Port } from '#main/api/wire.ts';
import { fail, type Failure, type Result } from '#domain/result.ts';
import { backoff } from './backoff.ts';

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** Was open; tries again by itself. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'noKey' }
  | { readonly kind: 'refused'; readonly failure: Failure };

interface Subscription {
  readonly topic: string;
  readonly onPush: (data: unknown) => void;
  readonly onRefused: ((failure: Failure) => void) | undefined;
  cursor: string | null;
  end: (() => void) | null;
}

export interface LinkOptions {
  readonly open: () => Port;
  readonly key: string | null;
  readonly needsKey: boolean;
  /** Whether the host is there but no longer takes us. */
  readonly unwanted: () => Promise<boolean>;
}

/**
 * The one connection to the host. It reconnects by itself, resumes every topic from the cursor it had
 * seen, and answers calls made meanwhile with `port.closed` instead of holding them back.
 */
export class Link {
  #state = $state.raw<LinkState>({ kind: 'connecting' });
  readonly #options: LinkOptions;
  readonly #subscriptions = new Set<Subscription>();
  #connection: Connection | null = null;
  #attempt = 0;
  /** The host answered after the last failed try, which it refused or which came too early. */
  #unwanted = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    if (options.needsKey && options.key === null) this.#state = { kind: 'noKey' };
    else void this.#open();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Every call of the contract; a lost connection is an ordinary failure. */
  readonly call: WorkbenchClient = clientOf((method, input) => {
    const client = this.#connection?.call as unknown as Record<string, (input: unknown) => Promise<Result<unknown>>> | undefined;
    return client?.[method]?.(input) ?? Promise.resolve(fail('port.closed'));
  });

  /** Hears a topic until the returned function is called, across reconnects; `onRefused` hears why it brings nothing. */
  subscribe(topic: string, onPush: (data: unknown) => void, onRefused?: (failure: Failure) => void): () => void {
    const subscription: Subscription = { topic, onPush, onRefused, cursor: null, end: null };
    this.#subscriptions.add(subscription);
    this.#start(subscription);
    return () => {
      subscription.end?.();
      this.#subscriptions.delete(subscription);
    };
  }

  /** Tries at once instead of waiting. */
  retry(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    void this.#open();
  }

  async #open(): Promise<void> {
    this.#timer = null;
    const { open, key } = this.#options;
    const done = await connect(open(), key ?? undefined);
    if (!done.ok) {
      if (done.error.code.startsWith('handshake.') || done.error.code.startsWith('data.')) {
        this.#state = { kind: 'refused', failure: done.error };
        return;
      }
      const unwanted = this.#attempt >= 2 && (await this.#options.unwanted());
      // A line that came back between the socket and this question looks the same once, but not twice.
      if (unwanted && this.#unwanted) {
        this.#state = { kind: 'noKey' };
        return;
      }
      this.#unwanted = unwanted;
      return this.#later();
    }
    this.#attempt = 0;
    this.#unwanted = false;
    this.#connection = done.value;
    this.#state = { kind: 'open' };
    for (const s of this.#subscriptions) this.#start(s);
    await done.value.closed;
    this.#connection = null;
    for (const s of this.#subscriptions) s.end = null;
    this.#later();
  }

  #later(): void {
    // A first start that takes a moment is not an outage: the banner comes only after an open link or three tries.
    if (this.#state.kind === 'open' || this.#attempt >= 2) this.#state = { kind: 'offline' };
    this.#timer = setTimeout(() => void this.#open(), backoff(this.#attempt++, Math.random()));
  }

  #start(subscription: Subscription): void {
    if (!this.#connection) return;
    subscription.end = this.#connection.subscribe(subscription.topic, subscription.cursor, (data, cursor) => {
      subscription.cursor = cursor;
      subscription.onPush(data);
    }, subscription.onRefused);
  }
}
