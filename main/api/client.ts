import type { Failure, Result } from '#domain/result.ts';
import { service, type WorkbenchService } from './service.ts';
import { PROTOCOL, type Client, type ClientMessage, type HandshakeRefusal, type Port, type ServerMessage } from './wire.ts';

export type WorkbenchClient = Client<WorkbenchService>;

export interface Connection {
  readonly call: WorkbenchClient;
  /** Pushes of a topic; `from` resumes after a cursor. `onRefused` hears why there are none. The returned function ends it. */
  subscribe(topic: string, from: string | null, onPush: (data: unknown, cursor: string) => void, onRefused?: (failure: Failure) => void): () => void;
  readonly closed: Promise<void>;
}

/** Speaks the contract over a port. Resolves after the handshake; refusals come from a closed list. */
export function connect(port: Port, key?: string, insideRun = false): Promise<Result<Connection, Failure>> {
  let nextId = 1;
  const calls = new Map<number, (result: Result<unknown>) => void>();
  const pushes = new Map<number, (data: unknown, cursor: string) => void>();
  const send = (message: ClientMessage) => port.send(message);
  return new Promise((settle) => {
    let open = false;
    let gone = false;
    const closed = new Promise<void>((settled) => {
      port.onClose(() => {
        gone = true;
        const failure = { ok: false as const, error: { code: 'port.closed' } };
        for (const answer of calls.values()) answer(failure);
        calls.clear();
        pushes.clear();
        if (!open) settle(failure);
        settled();
      });
    });
    const connection: Connection = {
      call: clientOf((method, input) => new Promise((answer) => {
        // Nobody is there to answer any more.
        if (gone) return answer({ ok: false, error: { code: 'port.closed' } });
        const id = nextId++;
        calls.set(id, answer);
        send({ t: 'call', id, method, input });
      })),
      subscribe(topic, from, onPush, onRefused) {
        const id = nextId++;
        if (onRefused) calls.set(id, (result) => !result.ok && onRefused(result.error));
        pushes.set(id, onPush);
        send({ t: 'subscribe', id, topic, from });
        return () => {
          calls.delete(id);
          if (pushes.delete(id)) send({ t: 'unsubscribe', id });
        };
      },
      closed,
    };
    port.onMessage((raw) => {
      const message = raw as ServerMessage;
      switch (message.t) {
        case 'welcome':
          open = true;
          return settle({ ok: true, value: connection });
        case 'refused':
          return settle({ ok: false, error: { code: refusalCode(message.why) } });
        case 'result':
          calls.get(message.id)?.(message.result);
          calls.delete(message.id);
          return;
        case 'push':
          return pushes.get(message.id)?.(message.data, message.cursor);
      }
    });
    send({ t: 'hello', protocol: PROTOCOL, ...(key === undefined ? {} : { key }), ...(insideRun ? { insideRun } : {}) });
  });
}

/** A typed client over any way of making one call (socket, HTTP, in-process). */
export function clientOf(call: (method: string, input: unknown) => Promise<Result<unknown>>): WorkbenchClient {
  const client: Record<string, (input: unknown) => Promise<Result<unknown>>> = {};
  for (const method of Object.keys(service)) client[method] = (input) => call(method, input);
  return client as unknown as WorkbenchClient;
}

function refusalCode(why: HandshakeRefusal): string {
  return `handshake.${why}`;
}
