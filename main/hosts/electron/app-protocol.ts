import type { Protocol } from 'electron';
import type { Asset } from '#main/hosts/web/assets.ts';
import { CSP } from '#main/hosts/web/csp.ts';

/** The page’s own scheme: never `file:`, never http (checklist 1, 18). */
export const SCHEME = 'curator';
export const PAGE = `${SCHEME}://app/`;

/** What must be said of the scheme before the app is ready. */
export const PRIVILEGES = [{ scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } }];

/** Serves the built page from memory: what is not in the map does not exist, and no path reaches the disk. */
export function serveApp(protocol: Pick<Protocol, 'handle'>, assets: ReadonlyMap<string, Asset>): void {
  protocol.handle(SCHEME, (request) => respond(assets, request.method, request.url));
}

export function respond(assets: ReadonlyMap<string, Asset>, method: string, address: string): Response {
  const refuse = (status: number) => new Response(null, { status, headers: HEADERS });
  if (!URL.canParse(address)) return refuse(400);
  const url = new URL(address);
  if (url.protocol !== `${SCHEME}:` || url.host !== 'app') return refuse(404);
  if (method !== 'GET' && method !== 'HEAD') return refuse(405);
  const asset = assets.get(url.pathname === '/' ? '/index.html' : url.pathname);
  if (!asset) return refuse(404);
  return new Response(method === 'HEAD' ? null : Buffer.from(asset.bytes), { status: 200, headers: { ...HEADERS, 'Content-Type': asset.type } });
}

const HEADERS = { 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };
