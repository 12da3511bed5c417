import { draft, INLINE_CHARS, partnerEvents, type Attachment, type Channel, type EventDraft, type Face, type LongText, type ModelChoice, type Permission } from '../events/index.ts';
import type { AddressId, BatchId, CallId, RunId } from '../ids.ts';
import { fail, ok, type Failure, type Result } from '../result.ts';
import { unreachable } from '../result.ts';
import type { PartnerState } from './state.ts';

/** What may be asked of a partner. Ids, time and resolved facts arrive inside; nothing is looked up. */
export type PartnerCommand =
  | { readonly do: 'CreatePartner'; readonly name: string; readonly face: Face }
  | { readonly do: 'RenamePartner'; readonly name: string }
  | { readonly do: 'ChooseFace'; readonly face: Face }
  | { readonly do: 'PinPartner'; readonly pinned: boolean }
  | { readonly do: 'ChoosePermission'; readonly permission: Permission; readonly channel: Channel; readonly insideRun: boolean }
  | { readonly do: 'ChooseModel'; readonly model: ModelChoice }
  | {
      readonly do: 'SendMessage';
      readonly run: RunId;
      /** Already moved to a blob when longer than a line may carry. */
      readonly text: LongText;
      readonly attachments: readonly Attachment[];
      readonly channel: Channel;
      readonly model: ModelChoice;
      readonly permission: Permission;
      readonly language: 'zh' | 'en';
      readonly addresses: readonly { readonly address: AddressId; readonly root: string; readonly name: string; readonly policy: 'readOnly' | 'confirm' | 'direct' }[];
    }
  | { readonly do: 'RequestStop'; readonly channel: Channel }
  | {
      readonly do: 'DecideApproval';
      readonly batch: BatchId;
      readonly channel: Channel;
      readonly insideRun: boolean;
      readonly decisions: readonly { readonly call: CallId; readonly decision: 'approve' | 'reject' | 'guide'; readonly guidance?: string }[];
    };

/** Facts that follow from a command, or a refusal with a catalogue code. Pure (design §5). */
export function decide(state: PartnerState, command: PartnerCommand): Result<readonly EventDraft[], Failure> {
  const person = { actor: 'person' as const };
  if (command.do !== 'CreatePartner' && !state.facts.created) return fail('partner.unknown');
  switch (command.do) {
    case 'CreatePartner':
      return state.facts.created ? fail('partner.exists') : ok([draft(partnerEvents.OriginStarted, { reason: 'created' }, { actor: 'host' }), draft(partnerEvents.PartnerCreated, { name: command.name, face: command.face }, person)]);
    case 'RenamePartner':
      return ok(command.name === state.facts.name ? [] : [draft(partnerEvents.PartnerRenamed, { name: command.name }, person)]);
    case 'ChooseFace': {
      const same = command.face.shape === state.facts.face.shape && command.face.colour === state.facts.face.colour;
      return ok(same ? [] : [draft(partnerEvents.PartnerFaceChosen, { face: command.face }, person)]);
    }
    case 'PinPartner':
      if (command.pinned === state.facts.pinned) return ok([]);
      return ok([command.pinned ? draft(partnerEvents.PartnerPinned, {}, person) : draft(partnerEvents.PartnerUnpinned, {}, person)]);
    case 'ChoosePermission':
      if (command.insideRun) return fail('rights.insideRun');
      return ok(command.permission === state.facts.permission ? [] : [draft(partnerEvents.PermissionChosen, { permission: command.permission, channel: command.channel }, person)]);
    case 'ChooseModel':
      return ok([draft(partnerEvents.ModelChosen, { model: command.model }, person)]);
    case 'SendMessage': return sendMessage(state, command);
    case 'RequestStop': {
      if (!state.active) return fail('run.none');
      return ok(state.active.status === 'stopping' ? [] : [draft(partnerEvents.StopRequested, { channel: command.channel }, { ...person, run: state.active.run })]);
    }
    case 'DecideApproval': return decideApproval(state, command);
    default: return unreachable(command);
  }
}

function sendMessage(state: PartnerState, command: Extract<PartnerCommand, { do: 'SendMessage' }>): Result<readonly EventDraft[], Failure> {
  if (state.active) return fail(state.active.status === 'stopping' ? 'run.stopping' : 'run.busy');
  const text = command.text;
  if ('text' in text && text.text.trim() === '') return fail('message.empty');
  if ('text' in text && text.text.length > INLINE_CHARS) throw new Error('long text must lie in a blob before it is decided on');
  const context = { actor: 'person' as const, run: command.run };
  return ok([
    draft(partnerEvents.MessageSent, { text, attachments: [...command.attachments], channel: command.channel }, context),
    draft(
      partnerEvents.RunStarted,
      { model: command.model, permission: command.permission, language: command.language, addresses: command.addresses.map((a) => ({ ...a })) },
      { actor: 'host', run: command.run },
    ),
  ]);
}

function decideApproval(state: PartnerState, command: Extract<PartnerCommand, { do: 'DecideApproval' }>): Result<readonly EventDraft[], Failure> {
  if (command.insideRun) return fail('rights.insideRun');
  const active = state.active;
  if (!active?.batch || active.status !== 'waiting' || active.batch.id !== command.batch) return fail('approval.gone');
  const asked = new Set<string>(active.batch.calls);
  const answered = new Set<string>(command.decisions.map((d) => d.call));
  if (answered.size !== command.decisions.length || [...answered].some((c) => !asked.has(c))) return fail('approval.unknownCall');
  // The whole batch is decided together: a person who sees three diffs says yes to three (WB-BLOCKER-001-B1).
  if (answered.size !== asked.size) return fail('approval.incomplete', { missing: asked.size - answered.size });
  if (command.decisions.some((d) => d.decision === 'guide' && !d.guidance?.trim())) return fail('approval.noGuidance');
  return ok([
    draft(
      partnerEvents.ApprovalDecided,
      { batch: command.batch, channel: command.channel, decisions: command.decisions.map((d) => ({ call: d.call, decision: d.decision, ...(d.guidance?.trim() ? { guidance: d.guidance.trim() } : {}) })) },
      { actor: 'person', run: active.run },
    ),
  ]);
}
