import { draft, partnerEvents } from '#domain/events/index.ts';
import type { PartnerId } from '#domain/ids.ts';
import { fail } from '#domain/result.ts';
import { openBlobStore } from '#main/blobs/blob-store.ts';
import type { BlobStore } from '#main/blobs/types.ts';
import { createChanges } from '#main/changes/changes.ts';
import type { ChangeJournal } from '#main/changes/types.ts';
import { createGate } from '#main/gate/gate.ts';
import { openPartner } from '#main/partners/open-partner.ts';
import type { Partner } from '#main/partners/partner.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { createFreedesktopTrash } from '#main/trash/freedesktop.ts';
import { RUN } from '#test/support/changes/stores.ts';
import { foldHistory } from '#test/support/fs/fold-history.ts';
import { fixedClock, seeded } from '#test/support/fs/log-world.ts';
import { DATA, DIR } from '#test/support/fs/workloads.ts';

/** The person's folder, another in it, and where the system's trash is. */
export const WORK = '/w';
export const DOCS = `${WORK}/docs`;
export const SHARE = '/home/share';

/** One partner with the real log as journal, the real blob store and the real change protocol, on one disk. */
export interface Stage {
  readonly fs: FsPort;
  readonly blobs: BlobStore;
  readonly partner: Partner;
  /** Somebody else's bytes that were kept. */
  readonly kept: string[];
}

export interface StageBugs {
  readonly blobs?: (real: BlobStore) => BlobStore;
  readonly journal?: (real: ChangeJournal) => ChangeJournal;
}

/** The run goes on to its end: from here on no start looks for leftovers of its changes. */
export async function endRun(stage: Stage): Promise<void> {
  await stage.partner.commit([draft(partnerEvents.RunCompleted, {}, { actor: 'host', run: RUN })]);
}

let lives = 0;
/** Starts the product's part that changes files; what a crash left open is settled and swept by it, as at every start. Throws the code when it cannot be opened. */
export async function openStage(fs: FsPort, bugs: StageBugs = {}): Promise<Stage> {
  const clock = fixedClock();
  const random = seeded(++lives * 104_729);
  const opened = await openBlobStore(fs, `${DATA}/blobs`, clock);
  if (!opened.ok) throw new Error(opened.error.code);
  const blobs = bugs.blobs?.(opened.value) ?? opened.value;
  const trash = createFreedesktopTrash({ fs, clock, dataHome: SHARE, uid: 0 });
  const kept: string[] = [];
  const partner = await openPartner({
    id: ('partner_' + 'a'.repeat(26)) as PartnerId, dir: DIR, machine: 'm1', anchors: {}, openHistory: ({ log }) => foldHistory(log), changed: () => undefined,
    deps: {
      fs, clock, random, blobs, trash, gate: createGate({ fs, flavour: 'posix', home: null, dataDir: DATA }), tools: new Map(), limits: { steps: 1, retries: 0 },
      changesFor: (journal) => createChanges({ fs, blobs, journal: bugs.journal?.(journal) ?? journal, trash, random, flavour: 'posix', wait: () => Promise.resolve() }),
      modelFor: async () => fail('model.missing'), addresses: () => [], defaultModel: () => ({ provider: 'local', model: 'local' }) as never, language: () => 'en',
      anchor: () => undefined, kept: (path) => void kept.push(path), report: () => undefined,
    },
  });
  if (!partner.ok) throw new Error(`${partner.error.code} ${partner.error.detail ?? ''}`);
  return { fs, blobs, partner: partner.value, kept };
}
