import type { IncomingMessage } from 'node:http';

/** Why a request is refused before anything else is looked at; the status says no more than needed. */
export type Refusal = { readonly status: number };

/**
 * What every request must pass (research/safety.md, corpus loopback-http): one Host header that is
 * exactly ours, a plain path target, no foreign origin, no cross-site fetch. DNS rebinding, foreign
 * pages and proxies end here, with or without a right key.
 */
export function checkRequest(request: IncomingMessage, port: number): Refusal | null {
  const hosts = headersOf(request, 'host');
  if (hosts.length !== 1 || (hosts[0] !== `127.0.0.1:${port}` && hosts[0] !== `localhost:${port}`)) return { status: 421 };
  const target = request.url ?? '';
  if (!target.startsWith('/') || target.startsWith('//')) return { status: 400 };
  const origins = headersOf(request, 'origin');
  if (origins.length > 1 || (origins[0] !== undefined && origins[0] !== `http://${hosts[0]}`)) return { status: 403 };
  const site = headersOf(request, 'sec-fetch-site');
  if (site.length > 1 || (site[0] !== undefined && site[0] !== 'same-origin' && site[0] !== 'none')) return { status: 403 };
  return null;
}

/** All values of a header as sent, doubles included (Node joins or drops them in `headers`). */
export function headersOf(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) if (request.rawHeaders[i]?.toLowerCase() === name) values.push(request.rawHeaders[i + 1] ?? '');
  return values;
}

/** The target's path and query, decoded once; null when it cannot be a path of ours (bad escapes, NUL, dots, doubled slashes). */
export function pathOf(target: string): { readonly path: string; readonly query: URLSearchParams } | null {
  const cut = target.indexOf('?');
  const raw = cut < 0 ? target : target.slice(0, cut);
  let path: string;
  try {
    path = decodeURIComponent(raw);
  } catch {
    return null;
  }
  if (/[\u0000-\u001f\u007f\\]/.test(path) || path.includes('//') || path.split('/').some((part) => part === '..' || part === '.' || part.startsWith('.'))) return null;
  return { path, query: new URLSearchParams(cut < 0 ? '' : target.slice(cut + 1)) };
}
