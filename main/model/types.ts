import type { Result } from '#domain/result.ts';

/**
 * A model is a port (design §6): any OpenAI-compatible endpoint, or the embedded assistant. One call,
 * one reply; the loop around it is ours. `complete` never retries and never rejects.
 */
export interface Model {
  complete(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<Result<ModelReply, ModelFailure>>;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: 'assistant'; readonly text: string; readonly reasoning?: string; readonly calls: readonly ModelCall[] }
  | { readonly role: 'tool'; readonly call: string; readonly text: string; readonly outcome: string; readonly code: string | null };

/** Bytes go to the model only; the log holds the blob's name (WB-COMPOSER-013-AC3). */
export interface ModelImage {
  readonly mime: string;
  readonly base64: string;
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them; may be cut or malformed. */
  readonly args: string;
}

/** Raw reasoning is never shown; its coming says only that the model is thinking. */
export type ModelDelta = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'reasoning'; readonly text: string } | { readonly kind: 'call' };

export interface ModelReply {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ModelCall[];
  /** `length`: cut off; calls of a cut reply must never run. */
  readonly finish: 'stop' | 'length' | 'filter';
  readonly usage: { readonly prompt: number; readonly completion: number } | null;
  /** The embedded assistant's next things to say, as buttons. */
  readonly suggestions?: readonly string[];
}

export interface ModelFailure {
  /** `stopped`: the person's own abort, not a failure. */
  readonly kind: 'stopped' | 'timeout' | 'connection' | 'status' | 'provider' | 'protocol';
  readonly code: string;
  readonly status?: number;
  /** Provider's own code or type, for classification. */
  readonly providerCode?: string;
  readonly retryAfterMs?: number;
  readonly detail?: string;
}
