import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { serve, type Answering } from './session.ts';
import { streamPort } from './stream-port.ts';

/** Where the command line finds the running product (design §7). The file is readable by its owner only. */
export interface Endpoint {
  readonly socket: string;
  readonly key: string;
  readonly pid: number;
}

export function endpointFile(dataDir: string): string {
  return join(dataDir, 'run', 'endpoint.json');
}

/** Serves the contract on a local socket (named pipe on Windows) for the command line. */
export async function startLocalSocket(server: Answering, fs: FsPort, dataDir: string): Promise<{ readonly endpoint: Endpoint; close(): Promise<void> }> {
  const key = randomBytes(32).toString('base64url');
  // Unix socket paths end at about 100 characters; data folders do not.
  const name = `curator-${randomBytes(8).toString('hex')}`;
  const socket = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : process.platform === 'linux' ? `\0${name}` : join('/tmp', `${name}.sock`);
  const streams = new Set<Socket>();
  const net = createServer((stream) => {
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    serve(server, streamPort(stream), { channel: 'cli', admits: (given) => given !== undefined && same(given, key) });
  });
  await new Promise<void>((done, failed) => {
    net.once('error', failed);
    net.listen(socket, done);
  });
  const endpoint: Endpoint = { socket, key, pid: process.pid };
  await writeFileAtomic(fs, endpointFile(dataDir), new TextEncoder().encode(JSON.stringify(endpoint)), 0o600);
  return {
    endpoint,
    async close() {
      await fs.unlink(endpointFile(dataDir)).catch(() => undefined);
      await new Promise<void>((done) => {
        net.close(() => done());
        for (const stream of streams) stream.destroy();
      });
    },
  };
}

function same(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}
