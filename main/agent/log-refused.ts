/** Thrown inside a run when its log refuses a fact: the run cannot go on, and its partner deals with the log. */
export class LogRefused extends Error {}

/** Why a run's signal fired. Only the person's own stop is called one in the log. */
export type HaltReason = 'person' | 'closing' | LogRefused;

/** A run whose log was thrown back must not write on as if it had been stopped. Throws {@link LogRefused}. */
export function throwIfRefused(signal: AbortSignal): void {
  if (signal.reason instanceof LogRefused) throw signal.reason;
}
