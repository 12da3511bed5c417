import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { errnoOf } from '#main/ports/fs.ts';
import type { Claim } from './claim.ts';

/**
 * A name that the system gives to one process at a time and takes back when it dies: an abstract socket
 * on Linux, a named pipe on Windows. Nothing stays behind after a kill, so there is nothing to judge.
 */
export function socketName(realDir: string, platform: NodeJS.Platform = process.platform): string {
  const name = `curator-${createHash('sha256').update(realDir).digest('hex').slice(0, 32)}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : `\0${name}`;
}

/** Resolves with null when somebody else holds the name. */
export function claimSocket(name: string): Promise<Claim | null> {
  return new Promise((done, refuse) => {
    // Nobody has anything to say here: who connects is let go at once.
    const server = createServer((socket) => socket.destroy());
    server.once('error', (cause) => {
      const errno = errnoOf(cause);
      // A pipe of another user answers EACCES.
      if (errno === 'EADDRINUSE' || errno === 'EACCES') done(null);
      else refuse(cause);
    });
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      done({ held: async () => server.listening, release: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}
