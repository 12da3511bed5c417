/** How long to wait before the `attempt`-th try to reconnect (from 0): 0.3 s doubling to 8 s, ± 20 % so that tabs do not march in step. */
export function backoff(attempt: number, random: number): number {
  const base = Math.min(8000, 300 * 2 ** Math.min(attempt, 10));
  return Math.round(base * (0.8 + 0.4 * random));
}
