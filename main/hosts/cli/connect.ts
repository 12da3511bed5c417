import { connect as connectSocket, type Socket } from 'node:net';
import type { Failure, Result } from '#domain/result.ts';
import { connect, type Connection } from '#main/api/client.ts';
import { createNodeFs } from '#main/fs/node-fs.ts';
import { endpointFile, type Endpoint } from '#main/server/local-socket.ts';
import { serve, type Answering } from '#main/server/session.ts';
import { joinedPorts, streamPort } from '#main/server/stream-port.ts';

/** How long a folder that another command has for the time of its call is waited for, and how often it is asked for. */
const BUSY_MS = 10_000;
const STEP_MS = 100;

export interface Reached {
  readonly connection: Connection;
  close(): Promise<void>;
}

/**
 * Reaches the product (design §7): the running one over its local socket, or, when nothing runs, the
 * data folder itself for the time of one call. Both speak the same contract. Another command's call is
 * waited for. Codes: lock.busy, cli.otherVersion, and those of opening a data folder.
 */
export async function reach(dataDir: string, insideRun: boolean, openSelf: () => Promise<Result<{ server: Answering; close(): Promise<void> }, Failure>>): Promise<Result<Reached, Failure>> {
  for (let waited = 0; ; waited += STEP_MS) {
    const running = await reachRunning(dataDir, insideRun);
    if (running) return running;
    const own = await openSelf();
    if (own.ok) {
      const [ours, theirs] = joinedPorts();
      serve(own.value.server, theirs, { channel: 'cli', admits: () => true });
      const connection = await connect(ours, undefined, insideRun);
      if (connection.ok) return { ok: true, value: { connection: connection.value, close: own.value.close } };
      await own.value.close();
      return connection;
    }
    // Whoever has it ends in a moment, or is starting and will answer on its socket.
    if (own.error.code !== 'lock.busy' || waited >= BUSY_MS) return own;
    await new Promise((again) => setTimeout(again, STEP_MS));
  }
}

/** The product that runs on a data folder; null when none answers there. */
export async function reachRunning(dataDir: string, insideRun: boolean): Promise<Result<Reached, Failure> | null> {
  const endpoint = await endpointOf(dataDir);
  const stream = endpoint && (await open(endpoint.socket));
  // A file of a process that died: nobody listens.
  if (!endpoint || !stream) return null;
  const connection = await connect(streamPort(stream), endpoint.key, insideRun);
  const close = async () => {
    stream.end();
  };
  if (connection.ok) return { ok: true, value: { connection: connection.value, close } };
  stream.destroy();
  // It hung up: it is closing, and soon nobody listens.
  if (connection.error.code === 'port.closed') return null;
  return /TooOld$/.test(connection.error.code) ? { ok: false, error: { code: 'cli.otherVersion' } } : connection;
}

/** What the running product said about where it answers; null when it said nothing that makes sense. */
async function endpointOf(dataDir: string): Promise<Pick<Endpoint, 'socket' | 'key'> | null> {
  try {
    const { socket, key } = JSON.parse(new TextDecoder().decode(await createNodeFs().readFile(endpointFile(dataDir)))) as Partial<Endpoint>;
    return typeof socket === 'string' && socket !== '' && typeof key === 'string' ? { socket, key } : null;
  } catch {
    return null;
  }
}

function open(address: string): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connectSocket(address, () => done(socket));
    socket.once('error', () => done(null));
  });
}
