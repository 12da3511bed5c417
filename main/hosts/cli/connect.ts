import { connect as connectSocket } from 'node:net';
import type { Failure, Result } from '#domain/result.ts';
import { connect, type Connection } from '#main/api/client.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { endpointFile, type Endpoint } from '#main/server/local-socket.ts';
import { serve, type Answering } from '#main/server/session.ts';
import { joinedPorts, streamPort } from '#main/server/stream-port.ts';

export interface Reached {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Reaches the product (design §7): the running one over its local socket, or, when nothing runs, the
 * data folder itself for the time of one call. Both speak the same contract.
 */
export async function reach(dataDir: string, insideRun: boolean, openSelf: () => Promise<Result<{ server: Answering; close(): Promise<void> }, Failure>>): Promise<Result<Reached, Failure>> {
  const running = await reachRunning(dataDir, insideRun);
  if (running) return running;
  const own = await openSelf();
  if (!own.ok) {
    // It started between our look and our lock: its socket is there now.
    return own.error.code === 'lock.busy' ? ((await reachRunning(dataDir, insideRun)) ?? own) : own;
  }
  const [ours, theirs] = joinedPorts();
  serve(own.value.server, theirs, { channel: 'cli', admits: () => true });
  const connection = await connect(ours, undefined, insideRun);
  return connection.ok ? { ok: true, value: { connection: connection.value, close: own.value.close } } : connection;
}

export async function reachRunning(dataDir: string, insideRun: boolean): Promise<Result<Reached, Failure> | null> {
  let endpoint: Endpoint;
  try {
    endpoint = JSON.parse(new TextDecoder().decode(await createNodeFs().readFile(endpointFile(dataDir)))) as Endpoint;
  } catch {
    return null;
  }
  const stream = await new Promise<ReturnType<typeof connectSocket> | null>((done) => {
    const socket = connectSocket(endpoint.socket, () => done(socket));
    socket.once('error', () => done(null));
  });
  // A file of a process that died: nobody listens.
  if (!stream) return null;
  const connection = await connect(streamPort(stream), endpoint.key, insideRun);
  const close = async () => {
    stream.end();
  };
  return connection.ok ? { ok: true, value: { connection: connection.value, close } } : connection;
}
