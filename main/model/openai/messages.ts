import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { ModelMessage, ModelRequest } from '../types.ts';

/**
 * A request's messages in the provider's words. `reasoning`: the provider streams its reasoning and wants
 * that of the present turn back beside its calls, else it refuses the next step.
 */
export function toMessages(request: ModelRequest, reasoning: boolean): ChatCompletionMessageParam[] {
  const turn = request.messages.findLastIndex((m) => m.role === 'user' && !m.images);
  const messages = request.messages.flatMap((m, i) => toMessage(m, reasoning && i > turn));
  return [{ role: 'system', content: request.system }, ...messages];
}

function toMessage(m: ModelMessage, reasoning: boolean): ChatCompletionMessageParam[] {
  switch (m.role) {
    case 'user':
      return m.images?.length
        ? [{ role: 'user', content: [{ type: 'text', text: m.text }, ...m.images.map((i) => ({ type: 'image_url' as const, image_url: { url: `data:${i.mime};base64,${i.base64}` } }))] }]
        : [{ role: 'user', content: m.text }];
    case 'assistant': {
      if (m.calls.length === 0) return m.text === '' ? [] : [{ role: 'assistant', content: m.text }];
      const thought = reasoning && m.reasoning ? { reasoning_content: m.reasoning } : {};
      return [{ role: 'assistant', content: m.text || null, ...thought, tool_calls: m.calls.map((c) => ({ id: c.id, type: 'function' as const, function: { name: plainName(c.name), arguments: objectJson(c.args) } })) }];
    }
    case 'tool':
      return [{ role: 'tool', tool_call_id: m.call, content: m.text }];
  }
}

/** Providers refuse a whole history over one name that they would not have offered. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

/** … and over one malformed call; the result that follows says what was wrong with it. */
function objectJson(args: string): string {
  try {
    const value = JSON.parse(args) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? args : '{}';
  } catch {
    return '{}';
  }
}
