import type { ChangeOp, Permission, WritePolicy } from '#domain/events/index.ts';
import type { AddressId } from '#domain/ids.ts';
import type { Result } from '#domain/result.ts';

/** Whose call it is: the embedded assistant always asks (C-01); a model's run follows permission and policy. */
export type Caller = 'local' | 'model';

export interface GateAddress {
  readonly address: AddressId;
  readonly root: string;
  readonly name: string;
  readonly policy: WritePolicy;
}

/** What a run may touch, frozen when it starts. */
export interface GateContext {
  readonly caller: Caller;
  readonly permission: Permission;
  readonly addresses: readonly GateAddress[];
  /** Files that the person attached or @-ed in this conversation: readable wherever they are. */
  readonly pointedAt: readonly string[];
}

export type GateOp = 'read' | 'list' | 'search' | 'open' | ChangeOp;

/** The verdict of design §5's table, on the resolved object. Refusals carry a catalogue code as reason. */
export type Verdict =
  | { readonly verdict: 'do'; readonly target: Resolved }
  | { readonly verdict: 'ask' | 'askStrongly'; readonly target: Resolved; readonly reason: string }
  | { readonly verdict: 'refuse'; readonly code: string; readonly params: Readonly<Record<string, string | number>> };

/** A path after links, `..`, case and Unicode forms were resolved on the disk. */
export interface Resolved {
  /** The real absolute path (of the parent plus the last part when the target does not exist). */
  readonly path: string;
  readonly exists: boolean;
  readonly kind: 'file' | 'folder' | 'absent';
  readonly zone: 'inside' | 'outside';
  readonly address: GateAddress | null;
  /** Relative to the address root with `/`, or the absolute path when outside; for the screen. */
  readonly shownPath: string;
}

/** The one gate for every tool (design §5). */
export interface Gate {
  judge(op: GateOp, path: string, context: GateContext): Promise<Verdict>;
  /** May this folder become a work address? Codes: gate.root.* */
  judgeRoot(path: string): Promise<Result<string>>;
}
