import type { RunId } from '#domain/ids.ts';
import type { UndoPort } from '#main/tools/types.ts';
import { netRecords } from '#projections/conversation/records.ts';
import type { PartnerCore } from './core.ts';
import { revert } from './revert.ts';

/** Turns looked through for something to take back. */
const LOOK_BACK = 50;

/** “Undo” for a run: the newest earlier turn of the same partner that still has a live change. */
export function undoFor(partner: PartnerCore, current: RunId): UndoPort {
  return {
    async newest() {
      const { turns } = await partner.history.page({ limit: LOOK_BACK });
      for (const turn of [...turns].reverse()) {
        const records = netRecords(turn.records).filter((r) => r.state === 'live');
        if (turn.run !== current && records.length > 0) return { run: turn.run, records: [...records].reverse() };
      }
      return null;
    },
    revert: (run) => revert(partner, { run }),
  };
}
