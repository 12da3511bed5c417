import type { SafeStorage } from 'electron';
import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import type { Secrets } from '#main/secrets/types.ts';

export type SealingParts = Pick<SafeStorage, 'isEncryptionAvailable' | 'encryptString' | 'decryptString'> & { getSelectedStorageBackend?: () => string };

/**
 * Keys in the system's secret storage. Where Linux has none but “basic text” (a key that every program
 * knows) that is no protection: the encrypted file is used, and the settings page says what it is worth.
 * Keys that the web host or the command line put into that file are found too.
 */
export function createElectronSecrets(safeStorage: SealingParts, fs: FsPort, dataDir: string): Secrets {
  const inFile = createFileSecrets(fs, join(dataDir, 'secrets'));
  const real = safeStorage.isEncryptionAvailable() && safeStorage.getSelectedStorageBackend?.() !== 'basic_text';
  if (!real) return inFile;
  const file = join(dataDir, 'secrets', 'secrets.json');
  const load = async (): Promise<Record<string, string>> => {
    try {
      return JSON.parse(new TextDecoder().decode(await fs.readFile(file))) as Record<string, string>;
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return {};
      throw cause;
    }
  };
  let queue: Promise<unknown> = Promise.resolve();
  return {
    kind: 'system',
    async get(name) {
      try {
        const all = await load();
        if (Object.hasOwn(all, name)) return safeStorage.decryptString(Buffer.from(all[name] ?? '', 'base64'));
      } catch {
        // Sealed by another account or an older system key: as good as absent, the person enters it again.
      }
      return inFile.get(name);
    },
    set(name, value) {
      const next = queue.then(async (): Promise<Result<void>> => {
        try {
          // A file that no longer reads holds nothing that could be kept; one that cannot be read now must not be overwritten.
          const all = await load().catch((cause: unknown) => (cause instanceof SyntaxError ? ({} as Record<string, string>) : Promise.reject(cause as Error)));
          if (value === '') delete all[name];
          else all[name] = safeStorage.encryptString(value).toString('base64');
          await fs.mkdir(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
          await writeFileAtomic(fs, file, new TextEncoder().encode(JSON.stringify(all)), 0o600);
        } catch (cause) {
          return fail('secrets.io', {}, errnoOf(cause));
        }
        // Only one of the two places may know it: else a removed or replaced key would come back from the other.
        return (await inFile.get(name)) === null ? ok() : inFile.set(name, '');
      });
      queue = next;
      return next;
    },
  };
}
