import type { SafeStorage } from 'electron';
import { randomBytes } from 'node:crypto';
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
      let all: Record<string, string>;
      try {
        all = await load();
      } catch (cause) {
        return cause instanceof SyntaxError ? fail('secrets.unreadable') : fail('secrets.io', { errno: errnoOf(cause) });
      }
      if (!Object.hasOwn(all, name)) return inFile.get(name);
      try {
        return ok(safeStorage.decryptString(Buffer.from(all[name] ?? '', 'base64')));
      } catch {
        // Sealed by another account or an older system key: the person enters it again.
        return fail('secrets.unreadable');
      }
    },
    set(name, value) {
      const next = queue.then(async (): Promise<Result<void>> => {
        try {
          // One that cannot be read now must not be overwritten; one that is no list any more is kept aside.
          const all = await load().catch(async (cause: unknown) => {
            if (!(cause instanceof SyntaxError)) throw cause;
            await fs.rename(file, `${file}.unreadable-${randomBytes(4).toString('hex')}`);
            return {} as Record<string, string>;
          });
          if (value === '') delete all[name];
          else all[name] = safeStorage.encryptString(value).toString('base64');
          await fs.mkdir(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
          await writeFileAtomic(fs, file, new TextEncoder().encode(JSON.stringify(all)), 0o600);
        } catch (cause) {
          return fail('secrets.io', { errno: errnoOf(cause) });
        }
        // Only one of the two places may know it: else a removed or replaced key would come back from the other.
        return inFile.set(name, '');
      });
      queue = next;
      return next;
    },
  };
}
