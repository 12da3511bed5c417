import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#main/ports/clock.ts';
import type { Random } from '#main/ports/random.ts';

const TICKET_MS = 60_000;
const WRONG_PER_SECOND = 20;

/**
 * The three secrets of the web host (design §7), none reused: a launch ticket (one use, 60 s), a cookie
 * that opens only page, assets and the socket's upgrade, and a session key for calls. 32 random bytes
 * each, new at every launch, compared in constant time.
 */
export class Keys {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #tickets = new Map<string, number>();
  readonly cookie: string;
  readonly session: string;
  #wrong = 0;
  #wrongSince = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    this.cookie = this.#fresh();
    this.session = this.#fresh();
  }

  /** A new launch ticket. */
  ticket(): string {
    const now = this.#clock.now();
    for (const [t, until] of this.#tickets) if (until < now) this.#tickets.delete(t);
    const ticket = this.#fresh();
    this.#tickets.set(ticket, now + TICKET_MS);
    return ticket;
  }

  /** True once for a valid ticket. */
  useTicket(given: string): boolean {
    for (const [ticket, until] of this.#tickets) {
      if (!same(ticket, given)) continue;
      this.#tickets.delete(ticket);
      return until >= this.#clock.now();
    }
    this.wrong();
    return false;
  }

  isSession(given: string | undefined): boolean {
    return given !== undefined && same(this.session, given);
  }

  isCookie(given: string): boolean {
    return same(this.cookie, given);
  }

  /** Counts a wrong try; true when there were too many in this second. */
  wrong(): boolean {
    const now = this.#clock.now();
    if (now - this.#wrongSince >= 1000) {
      this.#wrongSince = now;
      this.#wrong = 0;
    }
    return ++this.#wrong > WRONG_PER_SECOND;
  }

  #fresh(): string {
    return Buffer.from(this.#random.bytes(32)).toString('base64url');
  }
}

/** Constant time whatever the lengths: both sides are hashed first. */
function same(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
