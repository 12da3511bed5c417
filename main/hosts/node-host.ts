import { homedir } from 'node:os';
import { join } from 'node:path';
import type { FsPort } from '#main/ports/fs.ts';
import { realClock } from '#main/ports/real.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import type { Host } from './host.ts';
import { revealPath } from './reveal.ts';
import { createSystemTrash } from './trash.ts';

/** The Host of plain Node: the local web host and the command line. No dialogs of its own; keys in the encrypted file. */
export function createNodeHost(kind: 'web' | 'cli', fs: FsPort, dataDir: string, show: () => string | null): Host {
  return {
    kind,
    chooseFolder: null,
    show,
    secrets: createFileSecrets(fs, join(dataDir, 'secrets')),
    reveal: (path) => revealPath(fs, process.platform, path),
    trash: createSystemTrash({ fs, clock: realClock, platform: process.platform, home: homedir(), dataHome: process.env['XDG_DATA_HOME'] }),
  };
}
