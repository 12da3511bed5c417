import { draft, partnerEvents, type EventDraft } from '#domain/events/index.ts';
import type { ChangeId } from '#domain/ids.ts';
import { ok, type Failure, type Result } from '#domain/result.ts';
import type { ChangeJournal } from '#main/changes/types.ts';

/** The change protocol's journal on one partner's log. Its own facts are the host's doing, in the run that asked. */
export function journalFor(
  commit: (drafts: readonly EventDraft[]) => Promise<Result<unknown, Failure>>,
  kept: (path: string, blob: string, size: number, why: 'overtaken' | 'replaced', change: ChangeId) => void,
): ChangeJournal {
  const write = async (fact: EventDraft): Promise<Result<void>> => {
    const done = await commit([fact]);
    return done.ok ? ok() : done;
  };
  return {
    planned: (change, run) => write(draft(partnerEvents.FileChangePlanned, change, { actor: 'host', run })),
    changed: async (done, run) => {
      const written = await write(draft(partnerEvents.FileChanged, done, { actor: 'host', run }));
      if (written.ok && done.overtaken?.hash) kept(done.path, done.overtaken.hash, done.overtaken.size, 'overtaken', done.change);
      if (written.ok && done.kept?.hash) kept(done.path, done.kept.hash, done.kept.size, 'replaced', done.change);
      return written;
    },
    failed: (change, code, detail, run) =>
      write(draft(partnerEvents.FileChangeFailed, { change, code, ...(detail ? { detail: detail.slice(0, 2000).toWellFormed() } : {}) }, { actor: 'host', run })),
  };
}
