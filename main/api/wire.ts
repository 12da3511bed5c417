import type * as z from 'zod/mini';
import type { Failure, Result } from '#domain/result.ts';

/** Raised when a message's meaning changes; both sides refuse another one (closed list in `HandshakeRefusal`). */
export const PROTOCOL = 1;

/** One call: `query` never changes anything, `command` may. Input is checked on the privileged side. */
export interface CallDef<I, O> {
  readonly kind: 'query' | 'command';
  readonly input: z.ZodMiniType<I>;
  /** Never present at run time: carries the type of the result. */
  readonly output?: O;
}

export type InputOf<C> = C extends { readonly input: z.ZodMiniType<infer I> } ? I : never;
export type OutputOf<C> = C extends { readonly output?: infer O } ? Exclude<O, undefined> : never;
export type Client<S> = { readonly [K in keyof S]: (input: InputOf<S[K]>) => Promise<Result<OutputOf<S[K]>>> };

/** Whoever is calling; recorded with decisions (design §7). */
export interface CallerInfo {
  readonly channel: 'window' | 'web' | 'cli';
  /** The call came from a process that carries a run's mark: it may never approve or change rights. */
  readonly insideRun: boolean;
}
export type Handlers<S> = { readonly [K in keyof S]: (input: InputOf<S[K]>, caller: CallerInfo) => Promise<Result<OutputOf<S[K]>>> };

/** What crosses a port. A transport is three functions; adapters exist for socket, message port and pipe. */
export interface Port {
  send(message: unknown): void;
  onMessage(callback: (message: unknown) => void): () => void;
  onClose(callback: () => void): () => void;
}

export type ClientMessage =
  | { readonly t: 'hello'; readonly protocol: number; readonly key?: string; readonly insideRun?: boolean }
  | { readonly t: 'call'; readonly id: number; readonly method: string; readonly input: unknown }
  /** `from` is the cursor of the last message seen; null asks for a snapshot. */
  | { readonly t: 'subscribe'; readonly id: number; readonly topic: string; readonly from: string | null }
  | { readonly t: 'unsubscribe'; readonly id: number };

export type ServerMessage =
  | { readonly t: 'welcome'; readonly protocol: number; readonly session: string }
  | { readonly t: 'refused'; readonly why: HandshakeRefusal }
  | { readonly t: 'result'; readonly id: number; readonly result: Result<unknown, Failure> }
  | { readonly t: 'push'; readonly id: number; readonly cursor: string; readonly data: unknown };

export type HandshakeRefusal = 'clientTooOld' | 'serverTooOld' | 'notAllowed';
