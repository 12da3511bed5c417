import { createHash } from 'node:crypto';
import { isAbsolute, join, resolve } from 'node:path';
import { isId, type PartnerId } from '#domain/ids.ts';
import type { Moment } from '#domain/moment.ts';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Language } from '#domain/words/words.ts';
import type { ExportReport } from '#main/api/views.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { exportPartner } from './export-partner.ts';
import type { ReadBlob } from './reading-copy.ts';

export interface ExportOrder {
  readonly fs: FsPort;
  readonly dataDir: string;
  /** A folder that the person chose; null: `usual`, which is made when it is not there. */
  readonly chosen: string | null;
  readonly usual: string;
  readonly language: Language;
  readonly now: number;
  readonly readBlob: ReadBlob;
  /** Null names: what the history itself says. */
  readonly partners: readonly { readonly id: PartnerId; readonly name: string | null; readonly upTo?: Moment; readonly anchors?: Moment }[];
}

/**
 * Writes what is readable of some partners into one folder (case 53). Nothing that is there is changed
 * or replaced. Codes: export.noFolder {path}, export.nothing, export.io {errno}.
 */
export async function exportReadable(order: ExportOrder): Promise<Result<ExportReport>> {
  const { fs, chosen, usual } = order;
  if (order.partners.length === 0) return fail('export.nothing');
  const into = resolve(chosen ?? usual);
  try {
    if (chosen === null) await fs.mkdir(usual, { recursive: true, mode: 0o700 });
    else if (!isAbsolute(chosen) || (await fs.stat(chosen)).kind !== 'folder') return fail('export.noFolder', { path: chosen });
  } catch (cause) {
    return chosen !== null && errnoOf(cause) === 'ENOENT' ? fail('export.noFolder', { path: chosen }) : fail('export.io', { errno: errnoOf(cause) });
  }
  let report: ExportReport = { folder: into, files: [], events: 0, gaps: 0, failed: [] };
  for (const { id, name, upTo, anchors } of order.partners) {
    const done = await exportPartner({ ...order, into, name, dir: join(order.dataDir, 'partners', id), ...(upTo ? { upTo } : {}), ...(anchors ? { anchors } : {}) });
    // A rescue does not give up on all because of one.
    if (!done.ok && order.partners.length === 1) return done;
    report = done.ok
      ? { ...report, files: [...report.files, ...done.value.files], events: report.events + done.value.events, gaps: report.gaps + done.value.gaps }
      : { ...report, failed: [...report.failed, { partner: id, name, failure: done.error }] };
  }
  const first = report.failed[0];
  return report.files.length === 0 && first ? { ok: false, error: first.failure } : ok(report);
}

/** The partners that lie in a data folder which cannot be opened. */
export async function partnersIn(fs: FsPort, dataDir: string): Promise<readonly PartnerId[]> {
  const entries = await fs.readdir(join(dataDir, 'partners')).catch(() => []);
  return entries.flatMap((e) => (e.kind === 'folder' && isId('partner', e.name) ? [e.name] : [])).sort();
}

/** Reads blobs of a data folder without opening its store, which would write. Only bytes that fit their name count. */
export function blobsIn(fs: FsPort, dataDir: string): ReadBlob {
  return async (hash) => {
    const bytes = await fs.readFile(join(dataDir, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash)).catch(() => null);
    return bytes && createHash('sha256').update(bytes).digest('hex') === hash ? bytes : null;
  };
}
