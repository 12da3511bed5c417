import { FACE_COLOURS, FACE_SHAPES } from '#domain/events/index.ts';
import type { PartnerId } from '#domain/ids.ts';
import type { Failure, Result } from '#domain/result.ts';
import type { Connection } from '#main/api/client.ts';
import type { ChangeRow } from '#main/api/service.ts';
import { option, whole } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { EXIT, type Exit, type Output } from './output.ts';
import { send } from './send.ts';

type Command = (context: CommandContext, words: readonly string[]) => Promise<Exit>;

/** Every command by its words; docs/CLI.md is the same list. */
export const COMMANDS: Readonly<Record<string, { readonly use: string; readonly run: Command }>> = {
  'partner create': { use: 'partner create NAME [--shape S] [--colour C]', run: partnerCreate },
  'partner list': { use: 'partner list', run: async ({ connection, out }) => each(out, await connection.call['partners.list']({}), (p) => `${p.pinned ? '* ' : '  '}${p.id}  ${p.name}  (${p.health === 'well' ? p.activity : 'DAMAGED, read only'}, ${p.permission}, ${p.model.model})`) },
  'partner rename': { use: 'partner rename PARTNER NAME', run: withPartner(async ({ connection, out }, partner, [name]) => (name ? one(out, await connection.call['partner.rename']({ partner, name }), (p) => p.name) : out.usage('partner rename PARTNER NAME'))) },
  'partner pin': { use: 'partner pin PARTNER [on|off]', run: withPartner(async ({ connection, out }, partner, [state]) => (state === undefined || state === 'on' || state === 'off' ? one(out, await connection.call['partner.pin']({ partner, pinned: state !== 'off' }), (p) => p.name) : out.usage('partner pin PARTNER [on|off]'))) },
  'partner delete': { use: 'partner delete PARTNER', run: withPartner(async ({ connection, out }, partner) => one(out, await connection.call['partner.delete']({ partner }), (d) => `${d.events}`)) },
  'partner permission': { use: 'partner permission PARTNER review|full', run: withPartner(async ({ connection, out }, partner, [p]) => (p === 'review' || p === 'full' ? one(out, await connection.call['partner.permission']({ partner, permission: p }), (s) => s.permission) : out.usage('partner permission PARTNER review|full'))) },
  'address add': { use: 'address add PATH --policy readOnly|confirm|direct', run: addressAdd },
  'address list': { use: 'address list', run: async ({ connection, out }) => each(out, mapOk(await connection.call['app.view']({}), (a) => a.addresses), (a) => `${a.id}  ${a.policy}  ${a.root}${a.reachable ? '' : '  (not found now)'}`) },
  'address remove': { use: 'address remove ADDRESS|PATH', run: addressRemove },
  'provider add': { use: 'provider add NAME --url URL --models A,B [--key-env VARIABLE]', run: providerAdd },
  'provider list': { use: 'provider list', run: async ({ connection, out }) => each(out, mapOk(await connection.call['app.view']({}), (a) => a.providers), (p) => `${p.id}  ${p.name}  ${p.baseUrl}  ${p.models.join(',')}${p.hasKey ? '' : '  (no key)'}`) },
  'provider test': { use: 'provider test PROVIDER', run: providerTest },
  tools: { use: 'tools', run: async ({ connection, out }) => each(out, await connection.call['tools.list']({}), (t) => `${t.name}  (${t.risk}${t.changes ? ', changes' : ''})  ${t.description}`) },
  send: { use: 'send PARTNER TEXT [--approve all|none|ask] [--permission review|full] [--model PROVIDER/MODEL]', run: withPartner(send) },
  stop: { use: 'stop PARTNER', run: withPartner(async ({ connection, out }, partner) => one(out, await connection.call['run.stop']({ partner }), (s) => (s.stopped ? 'stopped' : 'nothing was running'))) },
  approve: { use: 'approve RUN', run: (c, w) => decide(c, w, 'approve') },
  reject: { use: 'reject RUN', run: (c, w) => decide(c, w, 'reject') },
  guide: { use: 'guide RUN TEXT', run: (c, w) => decide(c, w, 'guide') },
  changes: { use: 'changes PARTNER [--limit N]', run: withPartner(async ({ connection, out, args }, partner) => each(out, await connection.call['changes.list']({ partner, limit: whole(args, 'limit') ?? 50 }), rowText)) },
  diff: { use: 'diff CHANGE', run: diff },
  revert: { use: 'revert CHANGE|RUN [--dry-run] [--force] [--undo]', run: revert },
  log: { use: 'log PARTNER [--from SEQ] [--limit N]', run: withPartner(async ({ connection, out, args }, partner) => each(out, await connection.call['log.read']({ partner, limit: whole(args, 'limit') ?? 200, ...(option(args, 'from') ? { from: whole(args, 'from') ?? 1 } : {}) }), (e) => `@${e.seq}  ${e.at}  ${e.actor}  ${e.type}`)) },
  show: { use: 'show PARTNER [--as-of @SEQ] [--limit N]', run: withPartner(show) },
  verify: { use: 'verify [PARTNER]', run: (c, w) => (w.length > 0 ? withPartner(verify)(c, w) : verify(c)) },
};

function withPartner(run: (context: CommandContext, partner: PartnerId, rest: readonly string[]) => Promise<Exit>): Command {
  return async (context, [given, ...rest]) => {
    if (!given) return context.out.usage('PARTNER is missing: an id or a name');
    const list = await context.connection.call['partners.list']({});
    if (!list.ok) return context.out.failure(list.error);
    const named = list.value.filter((p) => p.id === given || p.name === given);
    const [only] = named;
    if (!only || named.length > 1) return context.out.failure({ code: named.length > 1 ? 'partner.ambiguous' : 'partner.unknown', params: { name: given } });
    return run(context, only.id, rest);
  };
}

async function partnerCreate({ connection, out, args }: CommandContext, [name]: readonly string[]): Promise<Exit> {
  if (!name) return out.usage(COMMANDS['partner create']!.use);
  const shape = FACE_SHAPES.find((s) => s === option(args, 'shape')) ?? 'circle';
  const colour = FACE_COLOURS.find((c) => c === option(args, 'colour')) ?? 'lake';
  return one(out, await connection.call['partner.create']({ name, face: { shape, colour } }), (p) => p.id);
}

async function addressAdd({ connection, out, args }: CommandContext, [path]: readonly string[]): Promise<Exit> {
  const policy = option(args, 'policy') ?? 'confirm';
  if (!path || (policy !== 'readOnly' && policy !== 'confirm' && policy !== 'direct')) return out.usage(COMMANDS['address add']!.use);
  const { resolve } = await import('node:path');
  const name = option(args, 'name');
  return one(out, mapOk(await connection.call['address.add']({ path: resolve(path), policy, ...(name ? { name } : {}) }), (a) => a.addresses.at(-1)), (a) => `${a?.id}  ${a?.root}`);
}

async function addressRemove({ connection, out }: CommandContext, [given]: readonly string[]): Promise<Exit> {
  const app = await connection.call['app.view']({});
  if (!app.ok) return out.failure(app.error);
  const address = app.value.addresses.find((a) => a.id === given || a.root === given || a.name === given);
  return address ? one(out, await connection.call['address.remove']({ address: address.id }), () => address.root) : out.failure({ code: 'address.unknown' });
}

async function providerAdd({ connection, out, args }: CommandContext, [name]: readonly string[]): Promise<Exit> {
  const baseUrl = option(args, 'url');
  if (!name || !baseUrl) return out.usage(COMMANDS['provider add']!.use);
  // A key on the command line would be in every process list: it is taken from a variable's value.
  const variable = option(args, 'key-env');
  const key = variable ? process.env[variable] : undefined;
  if (variable && key === undefined) return out.failure({ code: 'cli.noVariable', params: { name: variable } });
  const models = (option(args, 'models') ?? '').split(',').map((m) => m.trim()).filter(Boolean);
  return one(out, await connection.call['provider.add']({ name, baseUrl, models, ...(key === undefined ? {} : { key }) }), (p) => p.id);
}

async function providerTest({ connection, out }: CommandContext, [given]: readonly string[]): Promise<Exit> {
  const app = await connection.call['app.view']({});
  if (!app.ok) return out.failure(app.error);
  const provider = app.value.providers.find((p) => p.id === given || p.name === given);
  if (!provider) return out.failure({ code: 'provider.unknown' });
  const tested = await connection.call['provider.test']({ provider: provider.id });
  if (!tested.ok) return out.failure(tested.error);
  out.value(tested.value, tested.value.ok ? `ok, ${tested.value.models.length} models` : `failed at: ${tested.value.hop} ${tested.value.status ?? ''} ${tested.value.detail ?? ''}`);
  return tested.value.ok ? EXIT.done : EXIT.failed;
}

async function decide(context: CommandContext, [given, ...text]: readonly string[], decision: 'approve' | 'reject' | 'guide'): Promise<Exit> {
  const { connection, out } = context;
  const found = await findTurn(context, (t) => t.run === given && t.waiting !== null);
  if (!found) return out.failure({ code: 'approval.gone' });
  const guidance = text.join(' ');
  if (decision === 'guide' && !guidance) return out.usage(COMMANDS['guide']!.use);
  const { waiting } = found.turn;
  const decisions = waiting!.plans.map((p) => ({ call: p.call as string, decision, ...(decision === 'guide' ? { guidance } : {}) }));
  return one(out, await connection.call['approval.decide']({ partner: found.partner, batch: waiting!.batch, decisions }), (r) => r.run);
}

type Turn = Extract<Awaited<ReturnType<Connection['call']['conversation.page']>>, { ok: true }>['value']['turns'][number];

/** Looks through the newest turns of every partner. */
async function findTurn({ connection }: CommandContext, wanted: (turn: Turn) => boolean): Promise<{ readonly partner: PartnerId; readonly turn: Turn } | null> {
  const partners = await connection.call['partners.list']({});
  if (!partners.ok) return null;
  for (const { id } of partners.value) {
    let before: number | undefined;
    for (let pages = 0; pages < 20; pages++) {
      const page = await connection.call['conversation.page']({ partner: id, limit: 50, ...(before === undefined ? {} : { before }) });
      if (!page.ok) break;
      const turn = page.value.turns.findLast(wanted);
      if (turn) return { partner: id, turn };
      before = page.value.turns[0]?.lamport;
      if (!page.value.older || before === undefined) break;
    }
  }
  return null;
}

async function diff(context: CommandContext, [given]: readonly string[]): Promise<Exit> {
  const { connection, out } = context;
  const found = await findTurn(context, (t) => t.records.some((r) => r.record === given));
  const record = found?.turn.records.find((r) => r.record === given);
  if (!found || !record) return out.failure({ code: 'revert.noRecord' });
  const view = await connection.call['change.diff']({ partner: found.partner, before: record.before?.hash ?? null, after: record.after?.hash ?? null });
  if (!view.ok) return out.failure(view.error);
  const d = view.value;
  if (d.kind !== 'text') out.value(d, `${record.path}: ${d.kind}`);
  else {
    const lines = d.hunks.flatMap((h) => [`@@ -${h.oldFrom + 1},${h.oldTo - h.oldFrom} +${h.newFrom + 1},${h.newTo - h.newFrom} @@`, ...d.oldText.slice(h.oldFrom, h.oldTo).map((l) => '-' + l), ...d.newText.slice(h.newFrom, h.newTo).map((l) => '+' + l)]);
    out.value(d, [`--- ${record.from}`, `+++ ${record.path}`, ...lines].join('\n'));
  }
  return EXIT.done;
}

async function revert(context: CommandContext, [given]: readonly string[]): Promise<Exit> {
  const { connection, out, args } = context;
  const found = await findTurn(context, (t) => t.run === given || t.records.some((r) => r.record === given));
  if (!found) return out.failure({ code: 'revert.noRecord' });
  const record = found.turn.records.find((r) => r.record === given);
  const done = await connection.call['change.revert']({
    partner: found.partner, run: found.turn.run, ...(record ? { record: record.record } : {}),
    ...(args.options['dry-run'] ? { dryRun: true } : {}), ...(args.options['force'] ? { force: true } : {}), ...(args.options['undo'] ? { undo: true } : {}),
  });
  if (!done.ok) return out.failure(done.error);
  out.value(done.value, done.value.items.map((i) => `${i.state}  ${i.effect}  ${i.path}${i.failure ? `  [${i.failure.code}]` : ''}`).join('\n'));
  return done.value.items.every((i) => i.state === 'done' || i.state === 'planned') ? EXIT.done : EXIT.failed;
}

async function show({ connection, out, args }: CommandContext, partner: PartnerId): Promise<Exit> {
  const asOf = option(args, 'as-of');
  let moment: Record<string, number> | undefined;
  if (asOf !== undefined) {
    const events = await connection.call['log.read']({ partner, from: 1, limit: 1 });
    const origin = events.ok ? events.value[0]?.origin : undefined;
    const seq = /^@?(\d+)$/.exec(asOf)?.[1];
    if (!origin || !seq) return out.usage(COMMANDS['show']!.use);
    moment = { [origin]: Number(seq) };
  }
  const page = await connection.call['conversation.page']({ partner, limit: Math.min(100, whole(args, 'limit') ?? 20), ...(moment ? { asOf: moment } : {}) });
  return page.ok ? each(out, { ok: true, value: page.value.turns }, (t) => `@${t.seq} ${t.at} [${t.status}]\n> ${t.message.text}\n${t.answer?.text ?? t.draft}`) : out.failure(page.error);
}

async function verify({ connection, out }: CommandContext, partner?: PartnerId): Promise<Exit> {
  const reports = await connection.call['verify.run'](partner ? { partner } : {});
  if (!reports.ok) return out.failure(reports.error);
  for (const r of reports.value) out.value(r, `${r.problems.length === 0 ? 'ok ' : 'BAD'}  ${r.name}  ${r.events} events, ${r.blobs} blobs${r.problems.map((p) => `\n     ${p.code} ${JSON.stringify(p.params)}`).join('')}`);
  return reports.value.every((r) => r.problems.length === 0) ? EXIT.done : EXIT.failed;
}

function rowText(row: ChangeRow): string {
  const { record } = row;
  return `${record.record}  ${record.state}  ${record.op}  ${record.path}  +${record.added ?? 0} -${record.removed ?? 0}  ${row.run ?? ''}`;
}

function mapOk<T, U>(result: Result<T, Failure>, map: (value: T) => U): Result<U, Failure> {
  return result.ok ? { ok: true, value: map(result.value) } : result;
}
function one<T>(out: Output, result: Result<T, Failure>, text: (value: T) => string): Exit {
  if (!result.ok) return out.failure(result.error);
  out.value(result.value, text(result.value));
  return EXIT.done;
}
function each<T>(out: Output, result: Result<readonly T[], Failure>, text: (value: T) => string): Exit {
  if (!result.ok) return out.failure(result.error);
  for (const value of result.value) out.value(value, text(value));
  return EXIT.done;
}
