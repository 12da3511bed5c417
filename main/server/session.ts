import * as z from 'zod/mini';
import { isId } from '#domain/ids.ts';
import { fail, type Failure, type Result } from '#domain/result.ts';
import { service, topics, type Method, type WorkbenchService } from '#main/api/service.ts';
import { PROTOCOL, type CallerInfo, type ClientMessage, type Handlers, type Port, type ServerMessage } from '#main/api/wire.ts';
import type { Workbench } from '#main/workbench/workbench.ts';

/** One workbench behind the contract, for any number of ports. */
export interface Server {
  readonly workbench: Workbench;
  readonly handlers: Handlers<WorkbenchService>;
}

/**
 * Answers one call after checking its name and input. Never rejects: what our own code throws becomes
 * `internal` and a diagnostic, without its text on the wire.
 */
export async function answer(server: Server, method: string, input: unknown, caller: CallerInfo): Promise<Result<unknown, Failure>> {
  // The contract's own names only: never one from the prototype.
  if (!Object.hasOwn(service, method)) return fail('call.unknown', { method: method.slice(0, 60) });
  const checked = service[method as Method].input.safeParse(input ?? {});
  if (!checked.success) return fail('call.badInput', { method }, z.prettifyError(checked.error).slice(0, 500));
  try {
    const handler = server.handlers[method as Method] as (input: unknown, caller: CallerInfo) => Promise<Result<unknown, Failure>>;
    return await handler(checked.data, caller);
  } catch (cause) {
    server.workbench.diagnostics.report(`call ${method}`, cause);
    return fail('internal', { method });
  }
}

export interface SessionOptions {
  readonly channel: CallerInfo['channel'];
  /** Decides on the key of the first message; a port that needs none says yes. */
  readonly admits: (key: string | undefined) => boolean;
}

/** Serves one port until it closes: handshake, calls, topics (design §7). */
export function serve(server: Server, port: Port, options: SessionOptions): void {
  const follows = new Map<number, () => void>();
  let caller: CallerInfo | null = null;
  let open = true;
  const send = (message: ServerMessage) => {
    if (open) port.send(message);
  };
  const close = () => {
    open = false;
    for (const end of follows.values()) end();
    follows.clear();
  };
  port.onClose(close);
  port.onMessage((raw) => {
    const message = asMessage(raw);
    if (!message) return;
    if (message.t === 'hello') {
      if (message.protocol !== PROTOCOL) return send({ t: 'refused', why: message.protocol < PROTOCOL ? 'clientTooOld' : 'serverTooOld' });
      if (!options.admits(message.key)) return send({ t: 'refused', why: 'notAllowed' });
      caller = { channel: options.channel, insideRun: message.insideRun === true };
      return send({ t: 'welcome', protocol: PROTOCOL, session: server.workbench.options.version });
    }
    // Nothing is answered before the handshake, not even that it is missing.
    if (!caller) return;
    const who = caller;
    switch (message.t) {
      case 'call':
        void answer(server, message.method, message.input, who).then((result) => send({ t: 'result', id: message.id, result }));
        return;
      case 'subscribe': {
        const { id, topic, from } = message;
        void follow(server, topic, from, (data, cursor) => send({ t: 'push', id, cursor, data }))
          .then((end) => {
            if (!end) return send({ t: 'result', id, result: fail('topic.unknown') });
            if (open) follows.set(id, end);
            else end();
          })
          .catch((cause: unknown) => {
            server.workbench.diagnostics.report(`topic ${topic.split(':')[0]}`, cause);
            send({ t: 'result', id, result: fail('internal') });
          });
        return;
      }
      case 'unsubscribe':
        follows.get(message.id)?.();
        follows.delete(message.id);
        return;
    }
  });
}

async function follow(server: Server, topic: string, from: string | null, push: (data: unknown, cursor: string) => void): Promise<(() => void) | null> {
  const { workbench } = server;
  if (topic === topics.app) return workbench.appTopic.follow({ kind: 'app', app: await workbench.view() }, push);
  if (topic === topics.partners) return workbench.partners.topic.follow({ kind: 'list', partners: workbench.partners.list() }, push);
  const id = topic.startsWith('conversation:') ? topic.slice('conversation:'.length) : '';
  if (!isId('partner', id)) return null;
  const partner = workbench.partners.get(id);
  return partner.ok ? partner.value.follow(from, push) : null;
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
