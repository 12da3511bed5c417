import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { PartnerId } from '#domain/ids.ts';
import type { Connection } from '#main/api/client.ts';
import type { TurnView } from '#main/api/views.ts';
import type { Command, CommandContext } from './context.ts';
import type { Exit } from './output.ts';
import { withPartner } from './pick.ts';

type Decision = 'approve' | 'reject' | 'guide';

/** A person's word on a run: stop it, or answer what it asks. */
export const DECISION_COMMANDS: readonly Command[] = [
  { use: 'stop PARTNER', run: withPartner(async ({ connection, out }, partner) => out.one(await connection.call['run.stop']({ partner }), (s) => (s.stopped ? 'stopped' : 'nothing was running'))) },
  { use: 'approve RUN', run: (context, [run = '']) => decide(context, run, 'approve', '') },
  { use: 'reject RUN', run: (context, [run = '']) => decide(context, run, 'reject', '') },
  { use: 'guide RUN TEXT', run: (context, [run = '', ...text]) => decide(context, run, 'guide', text.join(' ')) },
];

/** Decides the whole batch that a run waits with. */
async function decide({ connection, out }: CommandContext, run: string, decision: Decision, guidance: string): Promise<Exit> {
  const found = await waitingTurn(connection, run);
  if (!found.ok) return out.failure(found.error);
  const { partner, waiting } = found.value;
  const decisions = waiting.plans.map((p) => ({ call: p.call as string, decision, ...(decision === 'guide' ? { guidance } : {}) }));
  return out.one(await connection.call['approval.decide']({ partner, batch: waiting.batch, decisions }), (r) => r.run);
}

/** What a run waits for. Only the newest turn of a partner can wait, so one turn of each waiting partner is looked at. */
async function waitingTurn(connection: Connection, run: string): Promise<Result<{ readonly partner: PartnerId; readonly waiting: NonNullable<TurnView['waiting']> }, Failure>> {
  const partners = await connection.call['partners.list']({});
  if (!partners.ok) return partners;
  for (const { id, activity } of partners.value) {
    if (activity !== 'waiting') continue;
    const page = await connection.call['conversation.page']({ partner: id, limit: 1 });
    const turn = page.ok ? page.value.turns.at(-1) : undefined;
    if (turn?.run === run && turn.waiting) return ok({ partner: id, waiting: turn.waiting });
  }
  return fail('approval.gone', { run });
}
