const STORED = 'curator.key';

/**
 * The session key of the web host. It arrives once in the address (`#k=…`) and moves to this tab's
 * session storage at once, so that it stays neither in the address bar nor in the history.
 */
export function takeSessionKey(location: Location, history: History, storage: Storage): string | null {
  const given = /^#k=([\w.~-]{8,512})$/.exec(location.hash)?.[1] ?? null;
  if (given) {
    history.replaceState(null, '', location.pathname + location.search);
    storage.setItem(STORED, given);
  }
  return given ?? storage.getItem(STORED);
}

/** Forgets a key that the host no longer accepts. */
export function dropSessionKey(storage: Storage): void {
  storage.removeItem(STORED);
}
