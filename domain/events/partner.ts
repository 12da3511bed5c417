import * as z from 'zod/mini';
import type { Hash } from '../ids.ts';
import { define } from './define.ts';
import * as s from './shapes.ts';

const longRefs = (t: s.LongText): Hash[] => ('blob' in t ? [t.blob] : []);
const stateRefs = (...states: (s.FileState | null | undefined)[]): Hash[] => states.flatMap((x) => (x?.blob && x.hash ? [x.hash] : []));

/** Facts of a partner's own log. Names say what happened; a changed meaning is a new type (design §3). */
export const partnerEvents = {
  // ---- the partner itself -------------------------------------------------------------------------
  OriginStarted: define('OriginStarted', 1, 'control', z.object({ reason: z.enum(['created', 'branched', 'imported', 'restored', 'moved']) })),
  PartnerCreated: define('PartnerCreated', 1, 'control', z.object({ name: s.name, face: s.face })),
  PartnerRenamed: define('PartnerRenamed', 1, 'control', z.object({ name: s.name })),
  PartnerFaceChosen: define('PartnerFaceChosen', 1, 'control', z.object({ face: s.face })),
  PartnerPinned: define('PartnerPinned', 1, 'control', z.object({})),
  PartnerUnpinned: define('PartnerUnpinned', 1, 'control', z.object({})),
  PermissionChosen: define('PermissionChosen', 1, 'control', z.object({ permission: s.permission, channel: s.channel })),
  ModelChosen: define('ModelChosen', 1, 'control', z.object({ model: s.modelChoice })),

  // ---- a run --------------------------------------------------------------------------------------
  /** Starts a turn. What the person typed, word for word. */
  MessageSent: define('MessageSent', 1, 'content', z.object({ text: s.longText, attachments: z.array(s.attachment), channel: s.channel }), (d) => longRefs(d.text)),
  /** The run's frozen configuration: later changes of policy or permission never reach a run that started. */
  RunStarted: define(
    'RunStarted', 1, 'control',
    z.object({
      model: s.modelChoice,
      permission: s.permission,
      language: z.enum(['zh', 'en']),
      addresses: z.array(z.object({ address: s.addressId, root: s.path, name: s.name, policy: s.writePolicy })),
    }),
  ),
  /** What the model is told besides the messages: system prompt and tools as offered, as one JSON blob. */
  ModelAsked: define('ModelAsked', 1, 'control', z.object({ call: z.number(), told: s.hash, messages: z.number() }), (d) => [d.told]),
  /** Streamed text since the last checkpoint; superseded by the completed text of the same model call. */
  DraftCheckpointed: define('DraftCheckpointed', 1, 'content', z.object({ call: z.number(), text: s.text })),
  /** A model reply that goes on with tool calls: its text is a thought. `reasoning` is never shown raw. */
  ThoughtRecorded: define(
    'ThoughtRecorded', 1, 'content',
    z.object({ call: z.number(), text: s.longText, reasoning: z.optional(s.longText) }),
    (d) => [...longRefs(d.text), ...(d.reasoning ? longRefs(d.reasoning) : [])],
  ),
  ToolCalled: define('ToolCalled', 1, 'content', z.object({ call: s.callId, tool: s.name, args: s.longText, shown: s.shown }), (d) => longRefs(d.args)),
  /** What the model gets to see of a tool's outcome. `images` are blobs that join the next request. */
  ToolReturned: define(
    'ToolReturned', 1, 'content',
    z.object({ call: s.callId, outcome: z.enum(['ok', 'failed', 'refused', 'rejected', 'cancelled']), code: z.optional(z.string()), text: s.longText, images: z.optional(z.array(s.hash)) }),
    (d) => [...longRefs(d.text), ...(d.images ?? [])],
  ),
  /** The final answer: text with no tool call and a normal end. */
  AnswerRecorded: define(
    'AnswerRecorded', 1, 'content',
    z.object({ call: z.number(), text: s.longText, reasoning: z.optional(s.longText), suggestions: z.optional(z.array(z.string().check(z.maxLength(400)))) }),
    (d) => [...longRefs(d.text), ...(d.reasoning ? longRefs(d.reasoning) : [])],
  ),
  UsageReported: define('UsageReported', 1, 'control', z.object({ call: z.number(), prompt: z.number(), completion: z.number() })),
  /** One line per run, updated in place (WB-COMPOSER-015-AC1/2). */
  RetryScheduled: define('RetryScheduled', 1, 'control', z.object({ call: z.number(), attempt: z.number(), of: z.number(), delayMs: z.number(), code: z.string() })),
  RetrySettled: define('RetrySettled', 1, 'control', z.object({ call: z.number(), attempt: z.number(), of: z.number(), outcome: z.enum(['recovered', 'exhausted', 'stopped']) })),

  // ---- consent ------------------------------------------------------------------------------------
  ApprovalAsked: define(
    'ApprovalAsked', 1, 'audit',
    z.object({ batch: s.batchId, plans: z.array(s.plan) }),
    (d) => d.plans.flatMap((p) => stateRefs(p.before, p.after)),
  ),
  /** All of a batch at once; any rejection or guidance means that nothing of it runs (WB-BLOCKER-001-AC2). */
  ApprovalDecided: define(
    'ApprovalDecided', 1, 'audit',
    z.object({
      batch: s.batchId,
      channel: s.channel,
      decisions: z.array(z.object({ call: s.callId, decision: z.enum(['approve', 'reject', 'guide']), guidance: z.optional(z.string().check(z.maxLength(4000))) })),
    }),
  ),

  // ---- file changes -------------------------------------------------------------------------------
  FileChangePlanned: define('FileChangePlanned', 1, 'audit', s.change, (d) => stateRefs(d.before, d.after)),
  FileChanged: define(
    'FileChanged', 1, 'audit',
    z.extend(s.change, {
      /** Net line counts against the record's first `before`; absent where lines mean nothing. */
      added: z.optional(z.number()),
      removed: z.optional(z.number()),
      /** Bytes that somebody saved between check and swap; offered to the person. */
      overtaken: z.optional(s.fileState),
      /** Bytes that a forced revert replaced. */
      kept: z.optional(s.fileState),
      /** Where the trash put it, for restoring. */
      trashed: z.optional(z.object({ file: s.path, info: z.nullable(s.path) })),
    }),
    (d) => stateRefs(d.before, d.after, d.overtaken, d.kept),
  ),
  FileChangeFailed: define('FileChangeFailed', 1, 'audit', z.object({ change: s.changeId, code: z.string(), detail: z.optional(z.string().check(z.maxLength(2000))) })),
  /** After a crash: an intent without an outcome, settled by comparing hashes, never by guessing (design §4). */
  FileChangeSettled: define('FileChangeSettled', 1, 'audit', z.object({ change: s.changeId, outcome: z.enum(['applied', 'notApplied', 'unknown']) })),

  // ---- how a run ends -----------------------------------------------------------------------------
  StopRequested: define('StopRequested', 1, 'control', z.object({ channel: s.channel })),
  RunCompleted: define('RunCompleted', 1, 'control', z.object({})),
  RunStopped: define('RunStopped', 1, 'control', z.object({})),
  RunFailed: define('RunFailed', 1, 'control', z.object({ code: z.string(), status: z.optional(z.number()), detail: z.optional(z.string().check(z.maxLength(4000))) })),
  RunLimitReached: define('RunLimitReached', 1, 'control', z.object({ limit: z.enum(['steps', 'time']) })),
  /** Written when a log is opened that ends inside a run: the process died. Nothing starts by itself (I11). */
  RunInterrupted: define('RunInterrupted', 1, 'control', z.object({})),

  // ---- erasure ------------------------------------------------------------------------------------
  ContentErased: define(
    'ContentErased', 1, 'audit',
    z.object({ ranges: z.array(z.object({ origin: s.originId, from: z.number(), to: z.number() })), reason: z.enum(['clear', 'withdraw', 'person']) }),
  ),
} as const;
