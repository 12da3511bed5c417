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

/**
 * Asked after the socket failed: true when the host answers, so that only our right to its socket is gone.
 * 429 and silence say nothing.
 */
export async function refusesKey(key: string | null): Promise<boolean> {
  try {
    const { status } = await fetch('/api/state', { method: 'HEAD', headers: { authorization: `Bearer ${key ?? ''}` }, cache: 'no-store' });
    return status === 200 || status === 401;
  } catch {
    return false;
  }
}
