import { readIntent } from '#domain/local/intent.ts';
import type { Model } from '../types.ts';
import { nextStep } from './recipes.ts';
import { turnOf } from './turn.ts';

/**
 * “本地助手 / Local assistant” (design §6): the embedded default. Deterministic and offline, it drives
 * the same loop, tools, approvals and records as any model. It understands whole sentences of known
 * forms only, and says so when it does not.
 */
export function createLocalModel(): Model {
  return {
    async complete(request, onDelta, signal) {
      if (signal.aborted) return { ok: false, error: { kind: 'stopped', code: 'run.stopped' } };
      const turn = turnOf(request);
      const language = /\p{Script=Han}/u.test(turn.said) ? 'zh' : 'en';
      const next = nextStep(readIntent(turn.said), turn.steps, language);
      const text = next.kind === 'answer' ? next.text : next.thought;
      if (text) onDelta({ kind: 'text', text });
      const base = { text, reasoning: '', finish: 'stop' as const, usage: null };
      if (next.kind === 'answer') return { ok: true, value: { ...base, calls: [], ...(next.suggestions.length > 0 ? { suggestions: next.suggestions } : {}) } };
      return { ok: true, value: { ...base, calls: [{ id: 'local', name: next.tool, args: JSON.stringify(next.args) }] } };
    },
  };
}
