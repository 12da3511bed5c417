import type { Attachment, LongText, PartnerEvent } from '#domain/events/index.ts';
import type { Hash } from '#domain/ids.ts';
import type { Projection } from '../projection.ts';

/** One message as the model will see it; long texts still name their blobs. */
export type ContextMessage =
  | { readonly role: 'user'; readonly text: LongText; readonly attachments: readonly Attachment[] }
  | { readonly role: 'assistant'; readonly text: LongText; readonly reasoning: LongText | null; readonly calls: readonly ContextCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly outcome: string; readonly code: string | null; readonly text: LongText; readonly images: readonly Hash[] };

export interface ContextCall {
  readonly id: string;
  readonly name: string;
  readonly args: LongText;
}

export interface ModelContext {
  readonly messages: readonly ContextMessage[];
  /** Calls that have no result yet, in order. */
  readonly open: readonly string[];
}

/**
 * The log as messages (WB-SESSION-007-B1): everything the model said and was told, in order. Drafts of
 * a lost connection are not in it (WB-COMPOSER-014-AC3). Calls that a stop or a crash left open are
 * answered by {@link closeOpenCalls}, so that no provider ever sees a dangling one.
 */
export const modelContext: Projection<ModelContext, PartnerEvent> = {
  version: 1,
  initial: { messages: [], open: [] },
  project(view, event) {
    if (event.data === null) return view;
    switch (event.type) {
      case 'MessageSent':
        return { messages: [...closeOpenCalls(view), { role: 'user', text: event.data.text, attachments: event.data.attachments }], open: [] };
      case 'ThoughtRecorded':
        return { messages: [...closeOpenCalls(view), { role: 'assistant', text: event.data.text, reasoning: event.data.reasoning ?? null, calls: [] }], open: [] };
      case 'ToolCalled': {
        const last = view.messages.at(-1);
        const call = { id: event.data.call, name: event.data.tool, args: event.data.args };
        const messages: readonly ContextMessage[] =
          last?.role === 'assistant'
            ? [...view.messages.slice(0, -1), { ...last, calls: [...last.calls, call] }]
            : [...view.messages, { role: 'assistant', text: { text: '' }, reasoning: null, calls: [call] }];
        return { messages, open: [...view.open, event.data.call] };
      }
      case 'ToolReturned': {
        const { call, outcome, code, text, images } = event.data;
        if (!view.open.includes(call)) return view;
        return { messages: [...view.messages, { role: 'tool', call, outcome, code: code ?? null, text, images: images ?? [] }], open: view.open.filter((c) => c !== call) };
      }
      case 'AnswerRecorded':
        return { messages: [...closeOpenCalls(view), { role: 'assistant', text: event.data.text, reasoning: null, calls: [] }], open: [] };
      case 'RunStopped':
      case 'RunFailed':
      case 'RunInterrupted':
      case 'RunLimitReached':
        return { messages: closeOpenCalls(view), open: [] };
      default:
        return view;
    }
  },
};

/** Answers every open call with “interrupted”: a tool call without a result makes providers refuse the whole request. */
export function closeOpenCalls(view: ModelContext): readonly ContextMessage[] {
  if (view.open.length === 0) return view.messages;
  const closing = view.open.map((call): ContextMessage => ({
    role: 'tool', call, outcome: 'cancelled', code: null, images: [],
    text: { text: 'Interrupted: the run ended before this call had a result. Nothing is known about its outcome; check before relying on it.' },
  }));
  return [...view.messages, ...closing];
}
