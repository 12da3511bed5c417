import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Secrets } from './types.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const HEAD_BYTES = IV_BYTES + 16;

/** The sealed file is there, and nothing here opens it. */
class Unreadable extends Error {}

/**
 * Keys in an encrypted file (AES-256-GCM), its own key beside it with mode 0600. This keeps keys out of
 * backups of single files, greps and screenshots; it does not protect against a program that runs as
 * the same person, and the settings page says so.
 */
export function createFileSecrets(fs: FsPort, dir: string): Secrets {
  const keyFile = join(dir, 'secrets.key');
  const dataFile = join(dir, 'secrets.enc');
  let queue: Promise<unknown> = Promise.resolve();

  async function readOrNull(path: string): Promise<Uint8Array | null> {
    try {
      return await fs.readFile(path);
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return null;
      throw cause;
    }
  }

  /** What is kept, and the key it is sealed with; no key when there is neither. Throws {@link Unreadable}, or the disk's error. */
  async function load(): Promise<{ readonly all: Record<string, string>; readonly key: Uint8Array | null }> {
    const sealed = await readOrNull(dataFile);
    const key = await readOrNull(keyFile);
    if (sealed === null) return { all: {}, key: key?.length === KEY_BYTES ? key : null };
    if (key?.length !== KEY_BYTES || sealed.length < HEAD_BYTES) throw new Unreadable();
    try {
      const open = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      open.setAuthTag(sealed.subarray(IV_BYTES, HEAD_BYTES));
      return { all: JSON.parse(Buffer.concat([open.update(sealed.subarray(HEAD_BYTES)), open.final()]).toString('utf8')) as Record<string, string>, key };
    } catch {
      throw new Unreadable();
    }
  }

  /** What cannot be opened is no use now, but may be once its key comes back from a backup. */
  async function setAside(): Promise<void> {
    const aside = `unreadable-${randomBytes(4).toString('hex')}`;
    await fs.rename(dataFile, `${dataFile}.${aside}`);
    if (await readOrNull(keyFile)) await fs.rename(keyFile, `${keyFile}.${aside}`);
  }

  async function write(name: string, value: string): Promise<void> {
    const { all, key: known } = await load().catch(async (cause: unknown) => {
      if (!(cause instanceof Unreadable)) throw cause;
      if (value !== '') await setAside();
      return { all: {} as Record<string, string>, key: null };
    });
    if (value === '' && !Object.hasOwn(all, name)) return;
    if (value === '') delete all[name];
    else all[name] = value;
    const key = known ?? randomBytes(KEY_BYTES);
    if (known === null) {
      await fs.mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFileAtomic(fs, keyFile, key, 0o600);
    }
    const iv = randomBytes(IV_BYTES);
    const seal = createCipheriv('aes-256-gcm', key, iv);
    const body = Buffer.concat([seal.update(JSON.stringify(all), 'utf8'), seal.final()]);
    await writeFileAtomic(fs, dataFile, Buffer.concat([iv, seal.getAuthTag(), body]), 0o600);
  }

  return {
    kind: 'file',
    async get(name) {
      try {
        const { all } = await load();
        return ok(Object.hasOwn(all, name) ? (all[name] ?? null) : null);
      } catch (cause) {
        return cause instanceof Unreadable ? fail('secrets.unreadable') : fail('secrets.io', { errno: errnoOf(cause) });
      }
    },
    set(name, value) {
      const next = queue.then(() => write(name, value)).then(() => ok(), (cause: unknown): Result<void> => fail('secrets.io', { errno: errnoOf(cause) }));
      queue = next;
      return next;
    },
  };
}
