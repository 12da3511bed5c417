import { say, sayUnknown, type Language } from '#domain/words/words.ts';
import type { StepView, TurnView } from '#projections/conversation/views.ts';
import type { IconName } from '../ui/icons.ts';

/** What one step is called in an opened activity. */
export function stepText(language: Language, step: StepView): string {
  const phrase = sayUnknown(language, step.shown.key, step.shown.params) ?? say(language, 'tool.unknown');
  const guidance = step.decision?.decision === 'guide' ? step.decision.guidance : null;
  return guidance ? say(language, 'talk.feedback', { phrase, guidance }) : phrase;
}

/**
 * The header of an activity (WB-COMPOSER-009-AC5): verb phrases in order of appearance, repeats counted,
 * two or three kinds joined, more than three as a number of steps. While a card waits, it says so.
 */
export function activityHeader(language: Language, steps: readonly StepView[]): string {
  if (steps.some((s) => s.state === 'waiting')) return say(language, 'talk.waiting');
  const kinds = new Map<string, number>();
  for (const step of steps) {
    const phrase = sayUnknown(language, `${step.shown.key}.short`) ?? say(language, 'tool.unknown.short');
    kinds.set(phrase, (kinds.get(phrase) ?? 0) + 1);
  }
  if (kinds.size > 3) return say(language, 'talk.stepsDone', { n: steps.length });
  return [...kinds].map(([phrase, n]) => (n > 1 ? say(language, 'talk.times', { phrase, n }) : phrase)).join(say(language, 'talk.join'));
}

const ICONS: Readonly<Record<string, IconName>> = {
  list: 'folder', scan: 'folder', mkdir: 'folder', read: 'file', info: 'file', readImage: 'image', find: 'search', search: 'search',
  create: 'edit', write: 'edit', edit: 'edit', replaceAll: 'edit', copy: 'copy', move: 'move', rename: 'edit', trash: 'trash', revert: 'revert', command: 'term',
};

/** One icon for the header: the tool's own, or the flow sign when kinds mix. */
export function activityIcon(steps: readonly StepView[]): IconName {
  if (steps.some((s) => s.state === 'waiting')) return 'clock';
  const names = new Set(steps.map((s) => ICONS[s.shown.key.replace(/^tool\./, '')] ?? 'bolt'));
  const [only] = names;
  return names.size === 1 && only ? only : 'bolt';
}

/** True while the last activity's work is still going on: its header shimmers until the next content. */
export function isLive(turn: TurnView, at: number): boolean {
  return (turn.status === 'running' || turn.status === 'waiting') && at === turn.process.length - 1;
}

/**
 * “让俺想想” (WB-COMPOSER-003-AC3): only while the run goes on and nothing else shows that it does: no
 * visible draft, no running step, no retry line, no open card.
 */
export function showsThinking(turn: TurnView, liveText: string): boolean {
  if (turn.status !== 'running' || turn.answer || liveText !== '') return false;
  return !turn.process.some((p) => (p.kind === 'retry' && p.state === 'running') || (p.kind === 'activity' && p.steps.some((s) => s.state === 'running')));
}
