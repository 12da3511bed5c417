import type { Hash } from '#domain/ids.ts';
import { includes, type Moment } from '#domain/moment.ts';
import { ok, type Failure, type Result } from '#domain/result.ts';
import type { ChangeRow, WorkbenchService } from '#main/api/service.ts';
import type { WireEvent } from '#main/api/views.ts';
import type { Handlers } from '#main/api/wire.ts';
import { revert } from '#main/partners/revert.ts';
import { restoreKept } from '#main/partners/restore-kept.ts';
import { toWire } from '#main/partners/wire-event.ts';
import { netRecords } from '#projections/conversation/records.ts';
import { diffBlobs } from './diff.ts';
import type { Workbench } from './workbench.ts';

type Part = Pick<Handlers<WorkbenchService>, 'changes.list' | 'change.diff' | 'change.revert' | 'change.restoreKept' | 'log.read' | 'text.read'>;

/** What was changed, how it differs, and taking it back. */
export function changeHandlers(workbench: Workbench): Part {
  const { partners, blobs } = workbench;
  return {
    async 'changes.list'({ partner, before, limit }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const rows: ChangeRow[] = [];
      const wanted = limit ?? 50;
      let at = before;
      // By the page until enough records are found; a long stretch without changes costs its pages, not the history.
      for (let pages = 0; rows.length < wanted && pages < 50; pages++) {
        const page = await got.value.history.page({ limit: 50, ...(at === undefined ? {} : { before: at }) });
        for (const turn of [...page.turns].reverse()) {
          for (const record of netRecords(turn.records)) rows.push({ run: turn.run, at: turn.at, request: turn.message.text.slice(0, 200), record });
        }
        const oldest = page.turns[0];
        if (!page.older || !oldest) break;
        at = oldest.lamport;
      }
      return ok(rows.slice(0, wanted));
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
    async 'log.read'({ partner, from, limit, asOf }) {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const { log } = got.value;
      const head = log.head().moment[log.origin] ?? 0;
      const start = from ?? Math.max(1, head - (limit ?? 200) + 1);
      const events: WireEvent[] = [];
      for await (const event of log.read(log.origin, start, start + (limit ?? 200) - 1)) {
        if (!asOf || includes(asOf as Moment, event)) events.push(toWire(event));
      }
      return ok(events);
    },
    async 'text.read'({ partner, blob }): Promise<Result<{ readonly text: string }, Failure>> {
      const got = partners.get(partner);
      if (!got.ok) return got;
      const bytes = await blobs.get(blob as Hash);
      return bytes.ok ? ok({ text: new TextDecoder().decode(bytes.value) }) : bytes;
    },
  };
}
