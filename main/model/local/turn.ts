import type { ModelMessage, ModelRequest } from '../types.ts';

/** One finished step of the current turn: what was called and what came back. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: string;
  readonly code: string | null;
  readonly text: string;
}

export interface Turn {
  /** The person's last message. */
  readonly said: string;
  readonly steps: readonly Step[];
}

/** The current turn out of a request: the last message of the person and what was done since. */
export function turnOf(request: ModelRequest): Turn {
  const at = request.messages.findLastIndex((m) => m.role === 'user' && !m.images);
  const user = request.messages[at];
  const since = request.messages.slice(at + 1);
  const calls = new Map(since.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => [c.id, c] as const) : [])));
  const steps = since.flatMap((m): Step[] => {
    const call = m.role === 'tool' ? calls.get(m.call) : undefined;
    return m.role === 'tool' && call ? [{ tool: call.name, args: argsOf(call.args), outcome: m.outcome, code: m.code, text: m.text }] : [];
  });
  return { said: user?.role === 'user' ? user.text.replace(/\n\nAttached files:\n[\s\S]*$/, '') : '', steps };
}

function argsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(json) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export type { ModelMessage };
