import * as z from 'zod/mini';
import { fail, type Failure, type Result } from '#domain/result.ts';
import { service, type Method, type WorkbenchService } from '#main/api/service.ts';
import { PROTOCOL, type CallerInfo, type ClientMessage, type Handlers, type Port, type ServerMessage } from '#main/api/wire.ts';

/** Whatever answers the contract: an open workbench, or one reason for everything. */
export interface Answering {
  readonly version: string;
  readonly handlers: Handlers<WorkbenchService>;
  /** Follows a topic from a cursor; the returned function ends it. Codes: topic.unknown and those of the topic. */
  follow(topic: string, from: string | null, push: (data: unknown, cursor: string) => void): Promise<Result<() => void, Failure>>;
  report(what: string, cause: unknown): void;
}

/**
 * Answers one call after checking its name and input. Never rejects: what our own code throws becomes
 * `internal` and a diagnostic, without its text on the wire.
 */
export async function answer(server: Answering, method: string, input: unknown, caller: CallerInfo): Promise<Result<unknown, Failure>> {
  // The contract's own names only: never one from the prototype.
  if (!Object.hasOwn(service, method)) return fail('call.unknown', { method: method.slice(0, 60) });
  const checked = service[method as Method].input.safeParse(input ?? {});
  if (!checked.success) return fail('call.badInput', { method }, z.prettifyError(checked.error).slice(0, 500));
  try {
    const handler = server.handlers[method as Method] as (input: unknown, caller: CallerInfo) => Promise<Result<unknown, Failure>>;
    return await handler(checked.data, caller);
  } catch (cause) {
    server.report(`call ${method}`, cause);
    return fail('internal', { method });
  }
}

export interface SessionOptions {
  readonly channel: CallerInfo['channel'];
  /** Decides on the key of the first message; a port that needs none says yes. */
  readonly admits: (key: string | undefined) => boolean;
}

/** Serves one port until it closes: handshake, calls, topics (design §7). */
export function serve(server: Answering, port: Port, options: SessionOptions): void {
  const follows = new Map<number, () => void>();
  /** Asked for, not yet followed. */
  const starting = new Set<number>();
  let caller: CallerInfo | null = null;
  let open = true;
  const send = (message: ServerMessage) => {
    if (open) port.send(message);
  };
  port.onClose(() => {
    open = false;
    for (const end of follows.values()) end();
    follows.clear();
  });
  port.onMessage((raw) => {
    const message = asMessage(raw);
    if (!message) return;
    if (message.t === 'hello') {
      if (message.protocol !== PROTOCOL) return send({ t: 'refused', why: message.protocol < PROTOCOL ? 'clientTooOld' : 'serverTooOld' });
      if (!options.admits(message.key)) return send({ t: 'refused', why: 'notAllowed' });
      caller = { channel: options.channel, insideRun: message.insideRun === true };
      return send({ t: 'welcome', protocol: PROTOCOL, session: server.version });
    }
    // Nothing is answered before the handshake, not even that it is missing.
    if (!caller) return;
    const who = caller;
    if (message.t === 'call') {
      void answer(server, message.method, message.input, who).then((result) => send({ t: 'result', id: message.id, result }));
    } else if (message.t === 'subscribe') {
      void subscribe(message.id, message.topic, message.from);
    } else {
      starting.delete(message.id);
      follows.get(message.id)?.();
      follows.delete(message.id);
    }
  });

  async function subscribe(id: number, topic: string, from: string | null): Promise<void> {
    starting.add(id);
    try {
      const end = await server.follow(topic, from, (data, cursor) => send({ t: 'push', id, cursor, data }));
      const wanted = starting.delete(id) && open;
      if (!end.ok) return send({ t: 'result', id, result: end });
      // Left again, or the line gone, before it stood: else it would push into nothing for ever.
      if (wanted) follows.set(id, end.value);
      else end.value();
    } catch (cause) {
      starting.delete(id);
      server.report(`topic ${topic.split(':')[0]}`, cause);
      send({ t: 'result', id, result: fail('internal') });
    }
  }
}

const messageShape = z.discriminatedUnion('t', [
  z.object({ t: z.literal('hello'), protocol: z.number(), key: z.optional(z.string()), insideRun: z.optional(z.boolean()) }),
  z.object({ t: z.literal('call'), id: z.number(), method: z.string(), input: z.unknown() }),
  z.object({ t: z.literal('subscribe'), id: z.number(), topic: z.string(), from: z.nullable(z.string()) }),
  z.object({ t: z.literal('unsubscribe'), id: z.number() }),
]);

/** Null for anything that is not a message of ours: it is ignored, never guessed at. */
function asMessage(raw: unknown): ClientMessage | null {
  const parsed = messageShape.safeParse(raw);
  return parsed.success ? (parsed.data as ClientMessage) : null;
}
