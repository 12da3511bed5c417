import type { ModelChoice } from '#domain/events/index.ts';
import type { ChangeId, PartnerId } from '#domain/ids.ts';
import type { RunDeps } from '#main/agent/types.ts';
import type { ChangeJournal, Changes } from '#main/changes/types.ts';
import type { GateAddress } from '#main/gate/types.ts';
import type { EventLog, LogHead } from '#main/log/types.ts';
import type { Result } from '#domain/result.ts';
import type { Model } from '#main/model/types.ts';
import type { History } from './history.ts';

/** What a partner needs of the rest of the product. */
export interface PartnerDeps extends Omit<RunDeps, 'changes' | 'undo'> {
  /** The change protocol, journalling into one partner. */
  readonly changesFor: (journal: ChangeJournal) => Changes;
  readonly modelFor: (choice: ModelChoice) => Promise<Result<Model>>;
  readonly addresses: () => readonly GateAddress[];
  readonly defaultModel: () => ModelChoice;
  readonly language: () => 'zh' | 'en';
  /** Anchors the partner's end in the app log: at the end of every run and at close (design §3). */
  readonly anchor: (partner: PartnerId, head: LogHead) => void;
  /** Somebody else's bytes were kept; the app log remembers them for that file's menu. */
  readonly kept: (path: string, blob: string, size: number, why: 'overtaken' | 'replaced', change: ChangeId) => void;
}

export interface OpenedPartner {
  readonly id: PartnerId;
  readonly log: EventLog;
  readonly history: History;
}
