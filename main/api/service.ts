import * as z from 'zod/mini';
import { face, modelChoice, permission, writePolicy, type ChangeOp } from '#domain/events/shapes.ts';
import type { AddressId, BatchId, ChangeId, Hash, OriginId, PartnerId, ProviderId, RunId } from '#domain/ids.ts';
import type { ChangeRecord } from '#projections/conversation/views.ts';
import type {
  AppView, ConversationPage, DiffView, ExportReport, FolderListing, PartnerSummary, ProviderTest, ProviderView, RevertReport, ToolInfo, VerifyReport, WireEvent,
} from './views.ts';
import type { CallDef } from './wire.ts';

type Cut = Readonly<Record<string, number>>;

function query<I, O>(input: z.ZodMiniType<I>, _output?: O): CallDef<I, O> & { readonly kind: 'query' } {
  return { kind: 'query', input };
}
function command<I, O>(input: z.ZodMiniType<I>, _output?: O): CallDef<I, O> & { readonly kind: 'command' } {
  return { kind: 'command', input };
}
function of<O>(): O | undefined {
  return undefined;
}
const id = <T extends string>(kind: string) => z.custom<T>((x) => typeof x === 'string' && x.startsWith(kind + '_') && x.length < 64);
const none = z.object({});
const partnerId = id<PartnerId>('partner');
const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const path = z.string().check(z.minLength(1), z.maxLength(8192));
const moment = z.record(z.string(), z.number());
const text = z.string().check(z.minLength(1), z.maxLength(400_000));
const providerInput = {
  name,
  baseUrl: z.string().check(z.minLength(1), z.maxLength(2000)),
  models: z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(500)),
  /** Absent: keep what is stored. Empty: remove it. Stored by the host's secret storage, never in the log. */
  key: z.optional(z.string().check(z.maxLength(4000))),
};

/**
 * The one contract between the processes: window, web page and command line speak it alike. Every
 * call answers with a value; refusals have a code of the catalogue.
 */
export const service = {
  ping: query(z.object({}), of<{ readonly pong: true }>()),

  'app.view': query(none, of<AppView>()),
  /** Brings the running product to the front: a fresh one-use address of the web host, or null when a window came up. Command line only. */
  'host.show': command(none, of<{ readonly url: string | null }>()),
  'settings.set': command(z.object({ language: z.optional(z.enum(['zh', 'en', 'system'])), theme: z.optional(z.enum(['light', 'dark', 'system'])) }), of<AppView>()),

  'partners.list': query(none, of<readonly PartnerSummary[]>()),
  'partner.create': command(z.object({ name, face }), of<PartnerSummary>()),
  'partner.rename': command(z.object({ partner: partnerId, name }), of<PartnerSummary>()),
  'partner.face': command(z.object({ partner: partnerId, face }), of<PartnerSummary>()),
  'partner.pin': command(z.object({ partner: partnerId, pinned: z.boolean() }), of<PartnerSummary>()),
  'partner.delete': command(z.object({ partner: partnerId }), of<{ readonly events: number }>()),
  /**
   * Writes what is readable of one partner (or of all) as `.ndjson` and `.md` into a folder that is there;
   * missing folder: the data folder's `exports/`, or the home folder where the data is a newer version's.
   */
  'partner.exportReadable': command(z.object({ partner: z.optional(partnerId), folder: z.optional(path) }), of<ExportReport>()),
  'partner.permission': command(z.object({ partner: partnerId, permission }), of<PartnerSummary>()),
  'partner.model': command(z.object({ partner: partnerId, model: modelChoice }), of<PartnerSummary>()),

  'address.add': command(z.object({ path, policy: writePolicy, name: z.optional(name) }), of<AppView>()),
  'address.policy': command(z.object({ address: id<AddressId>('address'), policy: writePolicy }), of<AppView>()),
  'address.remove': command(z.object({ address: id<AddressId>('address') }), of<AppView>()),
  /** Copies the shipped sample folder next to the data folder's documents and adds it with policy `confirm`. */
  'sample.create': command(none, of<{ readonly app: AppView; readonly address: AddressId; readonly root: string }>()),
  /** Sub-folders for choosing an address where the host has no dialog of its own. Missing path: the home folder. */
  'folders.list': query(z.object({ path: z.optional(path) }), of<FolderListing>()),
  /** The system's own folder dialog (Electron); refused with `host.noDialog` elsewhere. Null: the person cancelled. */
  'folders.choose': command(none, of<{ readonly path: string | null }>()),

  'provider.add': command(z.object(providerInput), of<ProviderView>()),
  'provider.change': command(z.object({ ...providerInput, provider: z.custom<ProviderId>((x) => typeof x === 'string') }), of<ProviderView>()),
  'provider.remove': command(z.object({ provider: z.custom<ProviderId>((x) => typeof x === 'string') }), of<AppView>()),
  /** Tests a stored provider, or one not stored yet. */
  'provider.test': command(
    z.object({ provider: z.optional(z.custom<ProviderId>((x) => typeof x === 'string')), baseUrl: z.optional(z.string()), key: z.optional(z.string()), model: z.optional(z.string()) }),
    of<ProviderTest>(),
  ),
  'model.default': command(z.object({ model: modelChoice }), of<AppView>()),
  'tools.list': query(none, of<readonly ToolInfo[]>()),

  /** A page of turns before `before` (exclusive, by the turn's lamport), or the newest; `asOf` shows a past moment. */
  'conversation.page': query(
    z.object({ partner: partnerId, before: z.optional(z.number()), limit: z.optional(z.number().check(z.gte(1), z.lte(100))), asOf: z.optional(moment) }),
    of<ConversationPage>(),
  ),
  'run.send': command(
    z.object({
      partner: partnerId,
      text,
      attachments: z.optional(z.array(z.object({ path, name, size: z.number() })).check(z.maxLength(50))),
      model: z.optional(modelChoice),
      permission: z.optional(permission),
      language: z.optional(z.enum(['zh', 'en'])),
    }),
    of<{ readonly run: RunId }>(),
  ),
  'run.stop': command(z.object({ partner: partnerId }), of<{ readonly stopped: boolean }>()),
  'approval.decide': command(
    z.object({
      partner: partnerId,
      batch: id<BatchId>('batch'),
      decisions: z.array(z.object({ call: z.string(), decision: z.enum(['approve', 'reject', 'guide']), guidance: z.optional(z.string().check(z.maxLength(4000))) })).check(z.minLength(1), z.maxLength(200)),
    }),
    of<{ readonly run: RunId }>(),
  ),

  /** Records of what was changed, newest run first. */
  'changes.list': query(z.object({ partner: partnerId, limit: z.optional(z.number().check(z.gte(1), z.lte(200))) }), of<readonly ChangeRow[]>()),
  /**
   * Whose a change or a run is, and its record as it is now (null for a run). Looked up by an index, never by reading
   * the history. Codes: revert.noRecord, revert.noRun.
   */
  'change.find': query(
    z.object({ change: z.optional(id<ChangeId>('change')), run: z.optional(id<RunId>('run')) }),
    of<{ readonly partner: PartnerId; readonly run: RunId; readonly record: ChangeRecord | null }>(),
  ),
  /** The diff of a record (before → after), or of a plan on a card when `before`/`after` hashes are given. */
  'change.diff': query(
    z.object({ partner: partnerId, before: z.nullable(z.custom<Hash>((x) => typeof x === 'string')), after: z.nullable(z.custom<Hash>((x) => typeof x === 'string')) }),
    of<DiffView>(),
  ),
  /** Reverts one record, or all of a run newest first; `undo` takes a revert back. `dryRun` touches nothing. */
  'change.revert': command(
    z.object({
      partner: partnerId,
      run: id<RunId>('run'),
      record: z.optional(id<ChangeId>('change')),
      undo: z.optional(z.boolean()),
      force: z.optional(z.boolean()),
      dryRun: z.optional(z.boolean()),
    }),
    of<RevertReport>(),
  ),

  /** Puts a kept save of a record's file back; what stands there now is kept first, and `change.revert` with `undo` takes it back. */
  'change.restoreKept': command(z.object({ partner: partnerId, run: id<RunId>('run'), record: id<ChangeId>('change'), blob: z.custom<Hash>((x) => typeof x === 'string' && /^[0-9a-f]{64}$/.test(x)) }), of<RevertReport>()),

  /** Opens a folder or reveals a file in the system's file manager. Only paths inside an address or the data folder's recovered/. */
  'file.reveal': command(z.object({ path }), of<{ readonly shown: boolean }>()),
  /** Events as stored: from `from` of one origin (this installation's unless told), or the newest of all in merge order. */
  'log.read': query(z.object({ partner: partnerId, origin: z.optional(id<OriginId>('origin')), from: z.optional(z.number()), limit: z.optional(z.number().check(z.gte(1), z.lte(1000))), asOf: z.optional(moment) }), of<readonly WireEvent[]>()),
  /** The moment of an event of one origin (this installation's unless told), for `asOf`. Code: log.noEvent. */
  'log.moment': query(z.object({ partner: partnerId, origin: z.optional(id<OriginId>('origin')), seq: z.number().check(z.gte(1)) }), of<Cut>()),
  'verify.run': command(z.object({ partner: z.optional(partnerId) }), of<readonly VerifyReport[]>()),
  /** The text behind a long message, thought or answer. */
  'text.read': query(z.object({ partner: partnerId, blob: z.custom<Hash>((x) => typeof x === 'string' && /^[0-9a-f]{64}$/.test(x)) }), of<{ readonly text: string }>()),
} as const;

export type WorkbenchService = typeof service;
export type Method = keyof WorkbenchService;

/** A change record in a list over the whole partner. */
export interface ChangeRow {
  readonly run: RunId | null;
  readonly at: string;
  readonly request: string;
  readonly record: ChangeRecord;
}

/** Topics and what they push (see views.ts). */
export const topics = {
  app: 'app',
  partners: 'partners',
  conversation: (partner: PartnerId) => `conversation:${partner}`,
} as const;

export type { ChangeOp, Cut };
