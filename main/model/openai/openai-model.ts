import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { Model, ModelDelta, ModelFailure, ModelMessage, ModelReply, ModelRequest } from '../types.ts';
import { CallAssembler, type CallDelta } from './assemble.ts';
import { failureOf, IdleTimeout, StreamLost } from './failure.ts';

export interface OpenAiSettings {
  readonly baseUrl: string;
  readonly key: string;
  /** Until the response head. */
  readonly headTimeoutMs: number;
  /** Between two pieces of the stream; the SDK has no such limit. */
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
}

/** Any OpenAI-compatible endpoint as a model (research/agent.md §1 for each trap). The SDK's own retries are off. */
export function createOpenAiModel(settings: OpenAiSettings): Model {
  const client = new OpenAI({
    baseURL: settings.baseUrl, apiKey: settings.key || 'none', maxRetries: 0, timeout: settings.headTimeoutMs, logLevel: 'off',
    // Nothing of the environment may add itself to a request.
    organization: null, project: null,
  });
  // Some providers refuse `stream_options`: learnt once, kept for this provider's life.
  let askUsage = true;
  return {
    async complete(request, onDelta, signal) {
      const first = await attempt(client, settings, request, onDelta, signal, askUsage);
      if (first.ok || !askUsage || first.error.status !== 400 || !/stream_options|include_usage/.test(first.error.detail ?? '')) return first;
      askUsage = false;
      return attempt(client, settings, request, onDelta, signal, askUsage);
    },
  };
}

async function attempt(
  client: OpenAI, settings: OpenAiSettings, request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal, askUsage: boolean,
): Promise<Result<ModelReply, ModelFailure>> {
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener('abort', stop);
  if (signal.aborted) own.abort();
  let idle = false;
  let cancelIdle = () => {};
  const watch = () => {
    cancelIdle();
    cancelIdle = settings.clock.after(settings.idleTimeoutMs, () => {
      idle = true;
      own.abort();
    });
  };
  try {
    const stream = await client.chat.completions.create(
      {
        model: request.model,
        messages: toMessages(request),
        stream: true,
        ...(request.tools.length > 0 ? { tools: request.tools.map((t) => ({ type: 'function' as const, function: { name: t.name, description: t.description, parameters: { ...t.schema } } })) } : {}),
        ...(askUsage ? { stream_options: { include_usage: true } } : {}),
      },
      { signal: own.signal },
    );
    watch();
    const reply = await readStream(stream, onDelta, watch);
    // The SDK ends silently when aborted while waiting: nothing of it may be recorded.
    if (idle) throw new IdleTimeout(`nothing came for ${settings.idleTimeoutMs} ms`);
    if (signal.aborted) return { ok: false, error: { kind: 'stopped', code: 'run.stopped' } };
    if (!reply) throw new StreamLost('the stream ended without a finish reason');
    return { ok: true, value: reply };
  } catch (cause) {
    return { ok: false, error: failureOf(idle && !signal.aborted ? new IdleTimeout(`nothing came for ${settings.idleTimeoutMs} ms`) : cause, signal) };
  } finally {
    cancelIdle();
    signal.removeEventListener('abort', stop);
  }
}

/** Null: the stream ended without a finish reason, that is, it was lost. */
async function readStream(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, onDelta: (delta: ModelDelta) => void, watch: () => void): Promise<ModelReply | null> {
  let text = '';
  let reasoning = '';
  let finish: string | null = null;
  let usage: ModelReply['usage'] = null;
  const assembler = new CallAssembler();
  for await (const chunk of stream) {
    watch();
    if (chunk.usage) usage = { prompt: chunk.usage.prompt_tokens ?? 0, completion: chunk.usage.completion_tokens ?? 0 };
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    // DeepSeek and Qwen say `reasoning_content`, OpenRouter and Ollama `reasoning`; the SDK passes both through untyped.
    const delta = choice.delta as { content?: string | null; tool_calls?: CallDelta[]; reasoning_content?: unknown; reasoning?: unknown } | undefined;
    const thought = delta?.reasoning_content ?? delta?.reasoning;
    if (typeof thought === 'string' && thought) {
      reasoning += thought;
      onDelta({ kind: 'reasoning', text: thought });
    }
    if (delta?.content) {
      text += delta.content;
      onDelta({ kind: 'text', text: delta.content });
    }
    for (const call of delta?.tool_calls ?? []) {
      assembler.take(call);
      onDelta({ kind: 'call' });
    }
    if (choice.finish_reason) finish = choice.finish_reason;
  }
  if (finish === null) return null;
  return { text, reasoning, calls: assembler.calls(), usage, finish: finish === 'length' ? 'length' : finish === 'content_filter' ? 'filter' : 'stop' };
}

function toMessages(request: ModelRequest): ChatCompletionMessageParam[] {
  return [{ role: 'system', content: request.system }, ...request.messages.map(toMessage)];
}

function toMessage(m: ModelMessage): ChatCompletionMessageParam {
  switch (m.role) {
    case 'user':
      return m.images?.length
        ? { role: 'user', content: [{ type: 'text', text: m.text }, ...m.images.map((i) => ({ type: 'image_url' as const, image_url: { url: `data:${i.mime};base64,${i.base64}` } }))] }
        : { role: 'user', content: m.text };
    case 'assistant':
      return m.calls.length > 0
        ? { role: 'assistant', content: m.text || null, tool_calls: m.calls.map((c) => ({ id: c.id, type: 'function' as const, function: { name: c.name, arguments: validJson(c.args) } })) }
        : { role: 'assistant', content: m.text };
    case 'tool':
      return { role: 'tool', tool_call_id: m.call, content: m.text };
  }
}

/** Some providers refuse a whole history over one malformed call; the result that follows says what was wrong with it. */
function validJson(args: string): string {
  try {
    JSON.parse(args);
    return args;
  } catch {
    return '{}';
  }
}
