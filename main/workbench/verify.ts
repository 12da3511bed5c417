import { join } from 'node:path';
import type { PartnerId } from '#domain/ids.ts';
import type { VerifyReport } from '#main/api/views.ts';
import type { EventLog } from '#main/log/types.ts';
import { verifyLog } from '#main/log/verify.ts';
import { findingsOf } from '#main/partners/findings.ts';
import { partnerDir } from '#main/partners/open-partner.ts';
import { readAnchor } from './app-log.ts';
import type { Workbench } from './workbench.ts';

/** Checks chain, payloads, anchors and blobs of one partner, or of everything (design §3). Reads only. */
export async function verifyWorkbench(workbench: Workbench, only: PartnerId | null): Promise<readonly VerifyReport[]> {
  const { options, app, partners } = workbench;
  const reports: VerifyReport[] = [];
  if (!only) reports.push(await verifyOne(workbench, 'app', 'app', join(options.dataDir, 'app'), app.log));
  for (const partner of partners.all()) {
    if (only && partner.id !== only) continue;
    reports.push(await verifyOne(workbench, partner.id, partner.summary().name, partnerDir(options.dataDir, partner.id), partner.log));
  }
  for (const { id, failure } of partners.unopened()) {
    // What cannot be opened was not checked: that is a finding, never a clean result.
    if (!only || id === only) reports.push({ partner: id, name: id.slice(8, 14), events: 0, blobs: 0, problems: [{ code: failure.code, params: failure.params ?? {} }] });
  }
  return reports;
}

async function verifyOne(workbench: Workbench, partner: PartnerId | 'app', name: string, dir: string, log: EventLog): Promise<VerifyReport> {
  const anchors = partner === 'app' ? await readAnchor(workbench.options.fs, dir) : (workbench.app.state.anchors[partner] ?? {});
  const report = await verifyLog({ fs: workbench.options.fs, dir, blobs: workbench.blobs, anchors, upTo: log.head().moment }, 'full');
  if (!report.ok) return { partner, name, events: 0, blobs: 0, problems: [{ code: report.error.code, params: report.error.params ?? {} }] };
  // What opening found stands on disk beyond the part that is acknowledged and was checked here.
  const found = findingsOf(log.findings).map((f) => ({ code: `finding.${f.code}`, params: f.params }));
  return { partner, name, events: report.value.counts.events, blobs: report.value.counts.blobs, problems: [...found, ...report.value.problems] };
}
