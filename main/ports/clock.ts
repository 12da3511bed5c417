/** Wall clock and timers. Order never depends on it (invariant I10); tests drive it by hand. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
}
