import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AppView, PartnerSummary } from '#main/api/views.ts';
import type { ClientMessage, ServerMessage } from '#main/api/wire.ts';
import { app, partners, T, turn, type Tongue } from './data.ts';
import { diff, talk } from './talks.ts';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };
export const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface FakeOptions {
  readonly lang: Tongue;
  readonly theme: 'light' | 'dark';
  /** `first`: nothing there yet. `newer`: the data cannot be opened. */
  readonly scene?: 'rich' | 'first' | 'newer';
  readonly big?: boolean;
}

/** A backend that speaks the contract over a socket with scripted data. For developing and pictures only. */
export async function fakeBackend(root: string, options: FakeOptions, port = 0): Promise<{ readonly url: string; readonly server: Server; push(topic: string, data: unknown): void; drop(): void; close(): void }> {
  const { lang, theme, scene = 'rich' } = options;
  let view: AppView = app(lang, theme, scene === 'rich');
  let list: PartnerSummary[] = scene === 'rich' ? partners(lang) : [];
  const sockets = new Set<WebSocket>();
  const subs: { socket: WebSocket; id: number; topic: string }[] = [];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname);
    void readFile(join(root, path === '/' ? 'index.html' : path)).then(
      (bytes) => response.writeHead(200, { 'content-type': TYPES[extname(path === '/' ? 'index.html' : path)] ?? 'application/octet-stream', 'content-security-policy': CSP }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  const wire = (socket: WebSocket, message: ServerMessage) => socket.send(JSON.stringify(message));
  const push = (topic: string, data: unknown) => {
    for (const s of subs) if (s.topic === topic) wire(s.socket, { t: 'push', id: s.id, cursor: String(Date.now()), data });
  };
  const ok = (value: unknown) => ({ ok: true as const, value });
  const changed = (p: string, change: Partial<PartnerSummary>) => {
    list = list.map((x) => (x.id === p ? { ...x, ...change } : x));
    return ok(list.find((x) => x.id === p));
  };
  const answers: Record<string, (input: Record<string, never>) => unknown> = {
    'app.view': () => (scene === 'newer' ? { ok: false, error: { code: 'data.newer', params: { detected: 7, supported: 3 } } } : ok(view)),
    'settings.set': (i) => ok((view = { ...view, ...(i as Partial<AppView>) })),
    'partners.list': () => ok(list),
    'partner.create': (i) => {
      const p = { ...partners(lang)[5], ...(i as object), id: `partner_new${list.length}` as never, lastAt: T(0), lastMessage: null } as PartnerSummary;
      list = [...list, p];
      return ok(p);
    },
    'partner.rename': (i) => changed(i['partner'] ?? '', { name: i['name'] ?? '' }),
    'partner.face': (i) => changed(i['partner'] ?? '', { face: i['face'] as never }),
    'partner.pin': (i) => changed(i['partner'] ?? '', { pinned: Boolean(i['pinned']) }),
    'partner.permission': (i) => changed(i['partner'] ?? '', { permission: i['permission'] as never }),
    'partner.model': (i) => changed(i['partner'] ?? '', { model: i['model'] as never }),
    'partner.delete': () => ok({ events: 3 }),
    'conversation.page': (i) => {
      const { all } = talk(i['partner'] ?? '', lang);
      const before = all.filter((x) => i['before'] === undefined || x.lamport < Number(i['before']));
      return ok({ turns: before.slice(-Number(i['limit'] ?? 30)), older: before.length > Number(i['limit'] ?? 30) });
    },
    'run.send': (i) => {
      const t = turn(5000, 0, i['text'] ?? '', { status: 'running', endedAt: null });
      push(`conversation:${i['partner']}`, { kind: 'page', page: { turns: [...talk(i['partner'] ?? '', lang).page.turns, t], older: false } });
      return ok({ run: t.run });
    },
    'run.stop': () => ok({ stopped: true }),
    'approval.decide': () => ok({ run: 'run_105' }),
    'change.diff': () => ok(diff(options.big ?? false, lang)),
    'change.revert': (i) => ok({ items: [{ record: i['record'] ?? 'change_1', path: '/home/lin/文档/报价/比价说明.md', effect: 'restore', state: i['force'] ? 'done' : 'conflict', failure: { code: 'change.conflict' } }], changed: i['force'] ? 1 : 0, conflicts: i['force'] ? 0 : 1 }),
    'folders.list': (i) => ok({ path: i['path'] ?? '/home/lin', parent: '/home', folders: ['Desktop', '文档', 'Downloads', 'Music', 'Pictures', 'projects', 'مستندات', 'videos'].map((n) => ({ name: n, path: `/home/lin/${n}` })), omitted: 0 }),
    'sample.create': () => ok({ app: view, address: 'address_9', root: '/home/lin/sample' }),
    'address.policy': () => ok(view), 'address.add': () => ok(view), 'address.remove': () => ok(view), 'model.default': () => ok(view),
    'provider.test': () => ok({ ok: false, hop: 'key', status: 401, models: [], detail: '{"error":{"message":"Incorrect API key provided"}}' }),
    'provider.add': () => ok(view.providers[0] ?? null),
    'file.reveal': () => ({ ok: false, error: { code: 'gate.outside', params: { path: '/etc/passwd' }, detail: 'resolved to /etc/passwd' } }),
    'verify.run': () => ok([{ partner: 'app', name: '', events: 24, blobs: 0, problems: [] }, ...list.slice(0, 2).map((p) => ({ partner: p.id, name: p.name, events: 1204, blobs: 88, problems: [] })), { partner: list[7]?.id ?? 'app2', name: list[7]?.name ?? '', events: 31, blobs: 2, problems: [{ code: 'damage', params: {} }] }]),
    'text.read': () => ok({ text: '…' }),
  };
  const snapshot: (topic: string) => unknown = (topic) =>
    topic === 'app' ? (scene === 'newer' ? null : { kind: 'app', app: view })
    : topic === 'partners' ? { kind: 'list', partners: list }
    : { kind: 'page', page: talk(topic.slice('conversation:'.length), lang).page };
  new WebSocketServer({ server, path: '/ws' }).on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (raw: Buffer) => {
      const m = JSON.parse(raw.toString()) as ClientMessage;
      if (m.t === 'hello') return wire(socket, { t: 'welcome', protocol: 1, session: 's' });
      if (m.t === 'call') return wire(socket, { t: 'result', id: m.id, result: (answers[m.method]?.(m.input as never) ?? { ok: false, error: { code: 'unknown' } }) as never });
      if (m.t !== 'subscribe') return;
      subs.push({ socket, id: m.id, topic: m.topic });
      const data = snapshot(m.topic);
      if (data) wire(socket, { t: 'push', id: m.id, cursor: '1', data });
      if (m.topic.startsWith('conversation:')) for (const draft of talk(m.topic.slice('conversation:'.length), lang).drafts) wire(socket, { t: 'push', id: m.id, cursor: '1', data: { kind: 'draft', draft } });
    });
  });
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/#k=devdevdevdev`;
  return {
    url, server, push,
    drop: () => { for (const s of sockets) s.terminate(); },
    close: () => { for (const s of sockets) s.terminate(); server.close(); server.closeAllConnections(); },
  };
}
