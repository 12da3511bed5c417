import type { Face, ModelChoice, Permission, StoredEvent, WritePolicy } from '#domain/events/index.ts';
import type { AddressId, CallId, ChangeId, PartnerId, ProviderId, RunId } from '#domain/ids.ts';
import type { Failure } from '#domain/result.ts';
import type { KeptBytes } from '#projections/app/app.ts';
import type { TurnView } from '#projections/conversation/views.ts';

/** A row of the sidebar. */
export interface PartnerSummary {
  readonly id: PartnerId;
  readonly name: string;
  readonly face: Face;
  readonly pinned: boolean;
  /** The newest message of the person, cut to 200 characters; null when there is none. */
  readonly lastMessage: string | null;
  /** When that was, or when the partner was created. ISO 8601. */
  readonly lastAt: string;
  readonly activity: 'idle' | 'running' | 'waiting';
  readonly permission: Permission;
  /** What the next message will use. */
  readonly model: ModelChoice;
  /** A damaged or newer partner opens read-only; other partners are untouched. */
  readonly health: 'well' | 'readOnly';
  readonly findings: readonly Finding[];
}

/** Something opening or writing found; the catalogue has its texts under `finding.<code>`. */
export interface Finding {
  readonly code: 'tornTail' | 'lostRecord' | 'damage' | 'missingEnd' | 'unreadable' | 'unknownEvents' | 'writeFailed' | 'unsettledChanges';
  readonly params: Readonly<Record<string, string | number>>;
}

export interface AddressView {
  readonly id: AddressId;
  readonly name: string;
  readonly root: string;
  readonly policy: WritePolicy;
  readonly sample: boolean;
  /** False when the folder cannot be found right now; records stay. */
  readonly reachable: boolean;
}

export interface ProviderView {
  readonly id: ProviderId;
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  /** The key itself never leaves the host again. */
  readonly hasKey: boolean;
}

/** Everything that belongs to no partner. Small; pushed whole. */
export interface AppView {
  readonly version: string;
  readonly host: 'electron' | 'web' | 'cli';
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly language: 'zh' | 'en' | 'system';
  readonly theme: 'light' | 'dark' | 'system';
  readonly addresses: readonly AddressView[];
  readonly providers: readonly ProviderView[];
  readonly defaultModel: ModelChoice;
  /** How keys are kept: by the system, or in an encrypted file whose limits the settings page states. */
  readonly secrets: 'system' | 'file';
  readonly dataDir: string;
  readonly home: string;
  readonly findings: readonly Finding[];
  /** Saves of the person that were overtaken and are kept, newest last. */
  readonly kept: readonly KeptBytes[];
  /** True while the shipped sample is not among the addresses. */
  readonly sampleOffered: boolean;
}

/** A stored event as the renderer folds it: no hashes; long results cut, since raw tool results are never shown. */
export type WireEvent = Omit<StoredEvent, 'erasedBy'>;

export interface ConversationPage {
  /** Oldest first. */
  readonly turns: readonly TurnView[];
  /** True when older turns exist. */
  readonly older: boolean;
}

/** Pushes of topic `conversation:<partnerId>`. */
export type ConversationPush =
  | { readonly kind: 'page'; readonly page: ConversationPage }
  | { readonly kind: 'events'; readonly events: readonly WireEvent[] }
  /** Live text of the model call in flight, not an event. `offset` characters stand before `text`; a mismatch asks for a page. */
  | { readonly kind: 'draft'; readonly draft: LiveDraft };

export interface LiveDraft {
  readonly run: RunId;
  readonly call: number;
  readonly offset: number;
  readonly text: string;
  /** The model is thinking and nothing can be shown yet: “让俺想想”. */
  readonly thinking: boolean;
}

/** Pushes of topic `partners`: the whole list first, then changed rows. */
export type PartnersPush =
  | { readonly kind: 'list'; readonly partners: readonly PartnerSummary[] }
  | { readonly kind: 'changed'; readonly partner: PartnerSummary }
  | { readonly kind: 'gone'; readonly partner: PartnerId };

/** Pushes of topic `app`. */
export type AppPush = { readonly kind: 'app'; readonly app: AppView };

/** A text diff between two immutable versions, ready to draw. */
export type DiffView =
  | {
      readonly kind: 'text';
      readonly added: number;
      readonly removed: number;
      readonly oldLines: number;
      readonly newLines: number;
      readonly hunks: readonly DiffHunk[];
      /** The whole texts, so that folded stretches open without another call. Lines without their ends. */
      readonly oldText: readonly string[];
      readonly newText: readonly string[];
      readonly encoding: string;
      readonly lineEnd: 'lf' | 'crlf' | 'mixed' | 'none';
      readonly bom: boolean;
      readonly oldEndsWithNewline: boolean;
      readonly newEndsWithNewline: boolean;
      /** The diff was cut short at its cost limit: right, but not minimal. */
      readonly coarse: boolean;
    }
  | { readonly kind: 'binary'; readonly oldSize: number | null; readonly newSize: number | null }
  | { readonly kind: 'tooLarge'; readonly oldSize: number; readonly newSize: number };

/** Zero-based half-open line ranges that differ. */
export interface DiffHunk {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Result of a revert, or of its dry run, per record. */
export interface RevertReport {
  readonly items: readonly {
    readonly record: ChangeId;
    readonly path: string;
    readonly effect: 'restore' | 'remove' | 'recreate' | 'moveBack' | 'nothing';
    readonly state: 'planned' | 'done' | 'conflict' | 'failed';
    readonly failure: Failure | null;
  }[];
  readonly changed: number;
  readonly conflicts: number;
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly risk: 'low' | 'medium' | 'high';
  readonly changes: boolean;
}

export interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** Folders left out beyond the first 1,000. */
  readonly omitted: number;
}

export interface VerifyReport {
  readonly partner: PartnerId | 'app';
  readonly name: string;
  readonly events: number;
  readonly blobs: number;
  readonly problems: readonly { readonly code: string; readonly params: Readonly<Record<string, string | number>> }[];
}

/** What an export of what is readable wrote. */
export interface ExportReport {
  readonly folder: string;
  readonly files: readonly string[];
  readonly events: number;
  /** Stretches that could not be read and are left out. */
  readonly gaps: number;
  /** Partners that could not be written out at all. */
  readonly failed: readonly { readonly partner: PartnerId; readonly name: string | null; readonly failure: Failure }[];
}

export interface ProviderTest {
  readonly ok: boolean;
  /** Which hop failed: name lookup, connection, TLS, HTTP status, key, model. */
  readonly hop: 'address' | 'dns' | 'connect' | 'tls' | 'http' | 'key' | 'model' | 'done';
  readonly status: number | null;
  readonly models: readonly string[];
  readonly detail: string | null;
}

export type { CallId, TurnView };
