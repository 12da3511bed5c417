import { join } from 'node:path';
import type { PartnerId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import { fail } from '#domain/result.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { Handlers } from '#main/api/wire.ts';
import { exportReadable } from '#main/export/export-readable.ts';
import type { Workbench } from './workbench.ts';

/** Taking out what is readable. `shown` learns the folders that were written to, so that they can be revealed. */
export function exportHandlers(workbench: Workbench, shown: Set<string>): Pick<Handlers<WorkbenchService>, 'partner.exportReadable'> {
  const { options, partners, blobs, app } = workbench;
  const anchorsOf = (id: PartnerId) => Object.fromEntries(Object.entries(app.state.anchors[id] ?? {}).map(([origin, { seq }]) => [origin, seq])) as Moment;
  return {
    async 'partner.exportReadable'({ partner, folder }, caller) {
      // A program inside a run must not carry a history away.
      if (caller.insideRun) return fail('rights.insideRun');
      const list = partners.list().filter((p) => partner === undefined || p.id === partner);
      if (list.length === 0) return fail('partner.unknown');
      const done = await exportReadable({
        fs: options.fs, dataDir: options.dataDir, chosen: folder ?? null, usual: join(options.dataDir, 'exports'),
        language: app.state.language === 'system' ? options.locale : app.state.language, now: options.clock.now(),
        readBlob: async (hash) => {
          const got = await blobs.get(hash);
          return got.ok ? got.value : null;
        },
        partners: list.map(({ id }) => {
          const open = partners.get(id);
          if (!open.ok) return { id, name: null, anchors: anchorsOf(id) };
          // What is being written just now counts up to what is acknowledged; a damaged log is read to its end.
          return { id, name: open.value.state.facts.name || null, ...(open.value.log.mode === 'open' ? { upTo: open.value.log.head().moment } : {}), anchors: anchorsOf(id) };
        }),
      });
      if (done.ok) shown.add(done.value.folder);
      return done;
    },
  };
}
