import type { ChangeId, Hash, RunId } from '#domain/ids.ts';
import { includes, type Moment } from '#domain/moment.ts';
import { fail, ok, type Failure, type Result } from '#domain/result.ts';
import type { ChangeRow, WorkbenchService } from '#main/api/service.ts';
import type { WireEvent } from '#main/api/views.ts';
import type { Handlers } from '#main/api/wire.ts';
import type { History } from '#main/partners/history.ts';
import { revert } from '#main/partners/revert.ts';
import { restoreKept } from '#main/partners/restore-kept.ts';
import { momentOf, newestEvents } from '#main/read-model/moments.ts';
import { toWire } from '#main/partners/wire-event.ts';
import { netRecords } from '#projections/conversation/records.ts';
import type { ChangeRecord, TurnView } from '#projections/conversation/views.ts';
import { diffBlobs } from './diff.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<Handlers<WorkbenchService>, 'changes.list' | 'change.find' | 'change.diff' | 'change.revert' | 'change.restoreKept' | 'log.read' | 'log.moment' | 'text.read'>;

/** What was changed, how it differs, and taking it back. */
export function changeHandlers(workbench: Workbench): Part {
  const { partners, blobs } = workbench;
  return {
    async 'changes.list'({ partner, limit }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const rows: ChangeRow[] = [];
      const told = new Set<RunId>();
      const wanted = limit ?? 50;
      for await (const turn of changedTurns(got.value.history)) {
        if (told.has(turn.run)) continue;
        told.add(turn.run);
        for (const record of netRecords(turn.records)) rows.push({ run: turn.run, at: turn.at, request: turn.message.text.slice(0, 200), record });
        if (rows.length >= wanted) break;
      }
      return ok(rows.slice(0, wanted));
    },
    async 'change.find'({ change, run }) {
      for (const partner of partners.all()) {
        const { history } = partner;
        const turn = change ? ((await history.turnOfChange(change)) ?? (await unsettledAmong(history, change))) : run ? await history.turn(run) : null;
        if (!turn) continue;
        const record = change ? (turn.records.find((r) => made(r, change)) ?? null) : null;
        if (!change || record) return ok({ partner: partner.id, run: turn.run, record });
      }
      return fail(change ? 'revert.noRecord' : 'revert.noRun');
    },
    async 'change.diff'({ partner, before, after }) {
      const got = partners.get(partner);
      return got.ok ? diffBlobs(blobs, workbench.options.diff, before, after) : got;
    },
    async 'change.revert'({ partner, ...order }, caller) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      if (caller.insideRun && !order.dryRun) return { ok: false, error: { code: 'rights.insideRun' } };
      const { run, record, undo, force, dryRun } = order;
      return revert(got.value, { run, ...(record ? { record } : {}), ...(undo ? { undo } : {}), ...(force ? { force } : {}), ...(dryRun ? { dryRun } : {}) });
    },
    async 'change.restoreKept'({ partner, ...order }, caller) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      if (caller.insideRun) return { ok: false, error: { code: 'rights.insideRun' } };
      return restoreKept(got.value, order, workbench.app.state.kept);
    },
    async 'log.read'({ partner, origin, from, limit, asOf }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const { log } = got.value;
      const wanted = limit ?? 200;
      const of = origin ?? log.origin;
      const start = from ?? Math.max(1, (log.head().moment[of] ?? 0) - wanted + 1);
      const events: WireEvent[] = [];
      for await (const event of origin === undefined && from === undefined ? await newestEvents(log, wanted) : log.read(of, start, start + wanted - 1)) {
        if (!asOf || includes(asOf as Moment, event)) events.push(toWire(event));
      }
      return ok(events);
    },
    async 'log.moment'({ partner, origin, seq }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const moment = await momentOf(got.value.log, origin ?? got.value.log.origin, seq);
      return moment ? ok(moment) : fail('log.noEvent', { seq });
    },
    async 'text.read'({ partner, blob }): Promise<Result<{ readonly text: string }, Failure>> {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const bytes = await blobs.get(blob as Hash);
      return bytes.ok ? ok({ text: new TextDecoder().decode(bytes.value) }) : bytes;
    },
  };
}

/** How many of the newest turns are looked through for what a crash left open: it is of the last run. */
const OPEN_TURNS = 20;

/** The newest turns, for what a crash left open, then those that changed something, by the index: a long stretch without changes costs nothing. */
async function* changedTurns(history: History): AsyncGenerator<TurnView> {
  yield* [...(await history.page({ limit: OPEN_TURNS })).turns].reverse();
  yield* history.changedTurns();
}

/** The turn with a change that a crash left open and that could not be settled: no index has it. */
async function unsettledAmong(history: History, change: ChangeId): Promise<TurnView | null> {
  const { turns } = await history.page({ limit: OPEN_TURNS });
  return turns.find((t) => t.records.some((r) => made(r, change))) ?? null;
}

/** True for the record that a raw change is a step of. */
function made(record: ChangeRecord, change: ChangeId): boolean {
  return record.record === change || record.steps.some((s) => s.change === change);
}
