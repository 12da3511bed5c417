import type { PartnerEvent } from '#domain/events/index.ts';
import type { RunId } from '#domain/ids.ts';
import type { ConversationPage, ConversationPush, LiveDraft, WireEvent } from '#main/api/views.ts';
import { conversation } from '#projections/conversation/conversation.ts';
import type { TurnView } from '#projections/conversation/views.ts';

/** A stretch of a conversation that the window holds, newest at the end. */
export interface TalkView {
  readonly loaded: boolean;
  readonly turns: readonly TurnView[];
  readonly older: boolean;
  readonly drafts: ReadonlyMap<RunId, LiveDraft>;
  /** True for the one view whose new turns came in front: the list then keeps its place from the end. */
  readonly prepended: boolean;
}
export const emptyTalk: TalkView = { loaded: false, turns: [], older: false, drafts: new Map(), prepended: false };

/** Folds a push. `resync` true: the live text does not fit what we hold, so the newest page is needed. */
export function foldPush(view: TalkView, push: ConversationPush): { readonly view: TalkView; readonly resync: boolean } {
  switch (push.kind) {
    case 'page':
      return { view: { ...withPage(view, push.page), drafts: new Map() }, resync: false };
    case 'events':
      return { view: push.events.reduce(foldEvent, settled(view)), resync: false };
    case 'draft':
      return foldDraft(view, push.draft);
  }
}

/** Puts a page of older turns in front. Turns that are there already are not doubled. */
export function withOlder(view: TalkView, page: ConversationPage): TalkView {
  const known = new Set(view.turns.map((t) => t.run));
  return { ...view, turns: [...page.turns.filter((t) => !known.has(t.run)), ...view.turns], older: page.older, prepended: true };
}

/** A fresh newest page: older turns that join it without a gap stay, so that nothing scrolls away. */
function withPage(view: TalkView, page: ConversationPage): TalkView {
  const first = page.turns[0];
  const at = first ? view.turns.findIndex((t) => t.run === first.run) : -1;
  const kept = at > 0 ? view.turns.slice(0, at) : [];
  return { ...view, loaded: true, turns: [...kept, ...page.turns], older: kept.length > 0 ? view.older : page.older, prepended: false };
}

function settled(view: TalkView): TalkView {
  return view.prepended ? { ...view, prepended: false } : view;
}

const ENDS = new Set(['RunCompleted', 'RunStopped', 'RunFailed', 'RunLimitReached', 'RunInterrupted', 'ThoughtRecorded', 'AnswerRecorded', 'RetryScheduled']);

function foldEvent(view: TalkView, event: WireEvent): TalkView {
  if (event.unknown) return view;
  // A wire event is a stored event without its hashes, which no view needs.
  const { turns } = conversation.project({ turns: view.turns }, event as unknown as PartnerEvent);
  if (event.run === null || !ENDS.has(event.type) || !view.drafts.has(event.run)) return turns === view.turns ? view : { ...view, turns };
  const drafts = new Map(view.drafts);
  drafts.delete(event.run);
  return { ...view, turns, drafts };
}

function foldDraft(view: TalkView, draft: LiveDraft): { readonly view: TalkView; readonly resync: boolean } {
  const held = view.drafts.get(draft.run);
  const same = held?.call === draft.call ? held : undefined;
  const known = same?.text ?? '';
  if (draft.offset > known.length) return { view, resync: true };
  // What a snapshot held already comes once more with the next piece: it is laid over, never added again.
  const joined = known.slice(0, draft.offset) + draft.text;
  const text = draft.offset > 0 && joined.length < known.length ? known : joined;
  const drafts = new Map(view.drafts);
  drafts.set(draft.run, { ...draft, offset: 0, text });
  return { view: { ...settled(view), drafts }, resync: false };
}
