/** What the system gives to one process at a time. */
export interface Claim {
  readonly held: () => Promise<boolean>;
  readonly release: () => Promise<void>;
}
