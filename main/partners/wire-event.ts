import type { StoredEvent } from '#domain/events/index.ts';
import type { WireEvent } from '#main/api/views.ts';

/** Characters of a tool's raw result that leave main: the screen never shows raw results (WB-COMPOSER-014-AC5). */
const RESULT_CHARS = 400;

/** A stored event as the renderer and the command line fold it. */
export function toWire(event: StoredEvent): WireEvent {
  const { id, origin, seq, lamport, at, actor, run, cause, refs, type, v } = event;
  const data = type === 'ToolReturned' || type === 'ToolCalled' ? slim(event.data) : event.data;
  return { id, origin, seq, lamport, at, actor, run, cause, class: event.class, refs, type, v, data, ...(event.unknown ? { unknown: true as const } : {}) };
}

function slim(data: unknown): unknown {
  if (data === null || typeof data !== 'object') return data;
  const out: Record<string, unknown> = { ...data };
  for (const key of ['text', 'args']) {
    const long = out[key] as { text?: string } | undefined;
    if (long?.text && long.text.length > RESULT_CHARS) out[key] = { text: long.text.slice(0, RESULT_CHARS).toWellFormed() };
  }
  return out;
}
