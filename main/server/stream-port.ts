import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Port } from '#main/api/wire.ts';

const MAX_MESSAGE = 16 * 1024 * 1024;

/** A port over a byte stream: one JSON message a line. A line that is too long or no JSON ends the stream. */
export function streamPort(stream: Duplex): Port {
  const messages = new Set<(message: unknown) => void>();
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    rest += decoder.write(chunk);
    if (rest.length > MAX_MESSAGE && !rest.includes('\n')) return void stream.destroy();
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      let message: unknown;
      try {
        message = JSON.parse(line);
      } catch {
        return void stream.destroy();
      }
      for (const callback of [...messages]) callback(message);
    }
  });
  stream.on('error', () => stream.destroy());
  return {
    send: (message) => {
      if (!stream.destroyed && stream.writable) stream.write(JSON.stringify(message) + '\n');
    },
    onMessage(callback) {
      messages.add(callback);
      return () => messages.delete(callback);
    },
    onClose(callback) {
      stream.once('close', callback);
      return () => stream.off('close', callback);
    },
  };
}

/**
 * Two ports joined in memory: the command line when it holds the data folder itself, and tests. The third
 * part closes both, as a broken connection would.
 */
export function joinedPorts(): readonly [Port, Port, () => void] {
  let open = true;
  const sides = [side(), side()] as const;
  const port = (own: Side, other: Side): Port => ({
    // Through the queue and as JSON, so that nothing behaves otherwise than over a real transport.
    send: (message) => {
      const copy = JSON.parse(JSON.stringify(message)) as unknown;
      queueMicrotask(() => {
        if (open) for (const callback of [...other.messages]) callback(copy);
      });
    },
    onMessage: (callback) => {
      own.messages.add(callback);
      return () => own.messages.delete(callback);
    },
    onClose: (callback) => {
      own.closers.add(callback);
      return () => own.closers.delete(callback);
    },
  });
  const close = () => {
    if (!open) return;
    open = false;
    for (const { closers } of sides) for (const callback of [...closers]) callback();
  };
  return [port(sides[0], sides[1]), port(sides[1], sides[0]), close];
}

interface Side {
  readonly messages: Set<(message: unknown) => void>;
  readonly closers: Set<() => void>;
}
const side = (): Side => ({ messages: new Set(), closers: new Set() });
