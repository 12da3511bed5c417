import { ok, type Failure, type Result } from '#domain/result.ts';
import type { OriginId, PartnerId } from '#domain/ids.ts';
import type { Connection } from '#main/api/client.ts';
import type { Cut } from '#main/api/service.ts';
import { numberOf, option } from './arguments.ts';
import type { Command, CommandContext } from './context.ts';
import { EXIT, type Exit } from './output.ts';
import { withPartner } from './pick.ts';

/** The past: events, the conversation at any moment, and whether all of it is whole. */
export const HISTORY_COMMANDS: readonly Command[] = [
  {
    use: 'log PARTNER [--from 1..] [--limit 1..1000]',
    run: withPartner(async ({ connection, out, args }, partner) => {
      const from = numberOf(args, 'from');
      const events = await connection.call['log.read']({ partner, limit: numberOf(args, 'limit') ?? 200, ...(from ? { from } : {}) });
      const here = await ownOrigin(connection, partner);
      return out.each(events, (e) => `${e.origin === here ? `@${e.seq}` : `@${e.origin}:${e.seq}`}  ${e.at}  ${e.actor}  ${e.type}`);
    }),
  },
  { use: 'show PARTNER [--as-of @SEQ] [--limit 1..100]', run: withPartner(show) },
  { use: 'verify [PARTNER]', run: (context, words) => (words.length > 0 ? withPartner(verify)(context, words) : verify(context)) },
];

const SHOW = 'show PARTNER [--as-of @SEQ] [--limit 1..100]';

async function show({ connection, out, args }: CommandContext, partner: PartnerId): Promise<Exit> {
  const asOf = option(args, 'as-of');
  const at = asOf === undefined ? null : /^@?(?:(origin_[a-z2-7]{26}):)?([1-9]\d{0,14})$/.exec(asOf);
  if (asOf !== undefined && !at) return out.usage(`--as-of names an event of the log, as @12 or @ORIGIN:12, not “${asOf}”`, SHOW);
  const moment: Result<Cut | null, Failure> = at ? await connection.call['log.moment']({ partner, seq: Number(at[2]), ...(at[1] ? { origin: at[1] as OriginId } : {}) }) : ok(null);
  if (!moment.ok) return out.failure(moment.error);
  const page = await connection.call['conversation.page']({ partner, limit: numberOf(args, 'limit') ?? 20, ...(moment.value ? { asOf: moment.value } : {}) });
  return page.ok ? out.each(ok(page.value.turns), (t) => `@${t.seq} ${t.at} [${t.status}] ${t.run}\n> ${t.message.text}\n${t.answer?.text ?? t.draft}`) : out.failure(page.error);
}

/** The origin that a bare number is of: the one that this installation writes. */
async function ownOrigin(connection: Connection, partner: PartnerId): Promise<OriginId | null> {
  const first = await connection.call['log.read']({ partner, from: 1, limit: 1 });
  return first.ok ? (first.value[0]?.origin ?? null) : null;
}

async function verify({ connection, out }: CommandContext, partner?: PartnerId): Promise<Exit> {
  const reports = await connection.call['verify.run'](partner ? { partner } : {});
  if (!reports.ok) return out.failure(reports.error);
  for (const r of reports.value) out.value(r, `${r.problems.length === 0 ? 'ok ' : 'BAD'}  ${r.name}  ${r.events} events, ${r.blobs} blobs${r.problems.map((p) => `\n     ${p.code} ${JSON.stringify(p.params)}`).join('')}`);
  return reports.value.every((r) => r.problems.length === 0) ? EXIT.done : EXIT.failed;
}
