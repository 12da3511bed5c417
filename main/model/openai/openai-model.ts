import OpenAI from 'openai';
import type { Result } from '#domain/result.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { Model, ModelDelta, ModelFailure, ModelReply, ModelRequest } from '../types.ts';
import { CallAssembler, type CallDelta } from './assemble.ts';
import { createClient } from './client.ts';
import { failureOf, HeadTimeout, IdleTimeout, StreamLost } from './failure.ts';
import { toMessages } from './messages.ts';

export interface OpenAiSettings {
  readonly baseUrl: string;
  readonly key: string;
  /** Until the response head; by our clock, like everything that waits. */
  readonly headTimeoutMs: number;
  /** Between two pieces of the stream; the SDK has no such limit. */
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
}

/** Longer than any of our own watches: the SDK's clock is never the one that ends a request. */
const NEVER_MS = 2 ** 31 - 1;

/** What one provider has taught us about itself; kept for the client's life. */
interface Learnt {
  /** Some refuse `stream_options`. */
  askUsage: boolean;
  /** Some stream their reasoning, and want it back within the turn. */
  reasoning: boolean;
}

/** Any OpenAI-compatible endpoint as a model (research/agent.md §1 for each trap). The SDK's own retries are off. */
export function createOpenAiModel(settings: OpenAiSettings): Model {
  const client = createClient({ ...settings, timeoutMs: NEVER_MS });
  const learnt: Learnt = { askUsage: true, reasoning: false };
  return {
    async complete(request, onDelta, signal) {
      const first = await attempt(client, settings, request, onDelta, signal, learnt);
      const refused = !first.ok && (first.error.status === 400 || first.error.status === 422) && /stream_options|include_usage/.test(first.error.detail ?? '');
      if (!refused || !learnt.askUsage) return first;
      learnt.askUsage = false;
      return attempt(client, settings, request, onDelta, signal, learnt);
    },
  };
}

async function attempt(
  client: OpenAI, settings: OpenAiSettings, request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal, learnt: Learnt,
): Promise<Result<ModelReply, ModelFailure>> {
  const { clock, headTimeoutMs, idleTimeoutMs, key } = settings;
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener('abort', stop);
  if (signal.aborted) own.abort();
  let late: Error | null = null;
  let cancelWatch = () => {};
  const watch = (ms: number, why: Error) => {
    cancelWatch();
    cancelWatch = clock.after(ms, () => {
      late = why;
      own.abort();
    });
  };
  const piece = () => watch(idleTimeoutMs, new IdleTimeout(`nothing came for ${idleTimeoutMs} ms`));
  try {
    watch(headTimeoutMs, new HeadTimeout(`no answer within ${headTimeoutMs} ms`));
    const stream = await client.chat.completions.create(
      {
        model: request.model,
        messages: toMessages(request, learnt.reasoning),
        stream: true,
        ...(request.tools.length > 0 ? { tools: request.tools.map((t) => ({ type: 'function' as const, function: { name: t.name, description: t.description, parameters: { ...t.schema } } })) } : {}),
        ...(learnt.askUsage ? { stream_options: { include_usage: true } } : {}),
      },
      { signal: own.signal },
    );
    piece();
    const reply = await readStream(stream, onDelta, piece, learnt);
    // The SDK ends silently when aborted while waiting: nothing of it may be recorded.
    if (signal.aborted) return { ok: false, error: { kind: 'stopped', code: 'run.stopped' } };
    if (reply) return { ok: true, value: reply };
    throw late ?? new StreamLost('the stream ended without a finish reason');
  } catch (cause) {
    return { ok: false, error: failureOf(late ?? cause, { signal, key, now: clock.now() }) };
  } finally {
    cancelWatch();
    signal.removeEventListener('abort', stop);
  }
}

/** Null: the stream ended without a finish reason, that is, it was lost. */
async function readStream(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, onDelta: (delta: ModelDelta) => void, piece: () => void, learnt: Learnt): Promise<ModelReply | null> {
  let text = '';
  let reasoning = '';
  let finish: string | null = null;
  let usage: ModelReply['usage'] = null;
  const assembler = new CallAssembler();
  try {
    for await (const chunk of stream) {
      piece();
      if (chunk.usage) usage = { prompt: chunk.usage.prompt_tokens ?? 0, completion: chunk.usage.completion_tokens ?? 0 };
      const choice = chunk.choices?.[0];
      if (!choice) continue;
      // DeepSeek and Qwen say `reasoning_content`, OpenRouter and Ollama `reasoning`; the SDK passes both through untyped.
      const delta = choice.delta as { content?: string | null; tool_calls?: CallDelta[]; reasoning_content?: unknown; reasoning?: unknown } | undefined;
      const thought = delta?.reasoning_content ?? delta?.reasoning;
      if (typeof thought === 'string' && thought) {
        reasoning += thought;
        learnt.reasoning ||= delta?.reasoning_content !== undefined;
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
  } catch (cause) {
    // All that matters has come: what broke afterwards was the closing (usage, [DONE]) alone.
    if (finish === null) throw cause;
  }
  if (finish === null) return null;
  return { text, reasoning, calls: assembler.calls(), usage, finish: finish === 'length' ? 'length' : finish === 'content_filter' ? 'filter' : 'stop' };
}
