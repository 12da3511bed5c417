import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import type { Secrets } from './types.ts';

/**
 * Keys in an encrypted file (AES-256-GCM), its own key beside it with mode 0600. This keeps keys out of
 * backups of single files, greps and screenshots; it does not protect against a program that runs as
 * the same person, and the settings page says so.
 */
export function createFileSecrets(fs: FsPort, dir: string): Secrets {
  const keyFile = join(dir, 'secrets.key');
  const dataFile = join(dir, 'secrets.enc');
  let queue: Promise<unknown> = Promise.resolve();

  async function key(): Promise<Uint8Array> {
    try {
      const bytes = await fs.readFile(keyFile);
      if (bytes.length === 32) return bytes;
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') throw cause;
    }
    const fresh = randomBytes(32);
    await fs.mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFileAtomic(fs, keyFile, fresh, 0o600);
    return fresh;
  }

  async function load(): Promise<Record<string, string>> {
    let sealed: Uint8Array;
    try {
      sealed = await fs.readFile(dataFile);
    } catch (cause) {
      if (errnoOf(cause) === 'ENOENT') return {};
      throw cause;
    }
    const open = createDecipheriv('aes-256-gcm', await key(), sealed.subarray(0, 12));
    open.setAuthTag(sealed.subarray(12, 28));
    return JSON.parse(Buffer.concat([open.update(sealed.subarray(28)), open.final()]).toString('utf8')) as Record<string, string>;
  }

  return {
    kind: 'file',
    async get(name) {
      const all = await load().catch(() => ({}) as Record<string, string>);
      return Object.hasOwn(all, name) ? (all[name] ?? null) : null;
    },
    set(name, value) {
      const next = queue.then(async (): Promise<Result<void>> => {
        try {
          const all = await load();
          if (value === '') delete all[name];
          else all[name] = value;
          const iv = randomBytes(12);
          const seal = createCipheriv('aes-256-gcm', await key(), iv);
          const body = Buffer.concat([seal.update(JSON.stringify(all), 'utf8'), seal.final()]);
          await writeFileAtomic(fs, dataFile, Buffer.concat([iv, seal.getAuthTag(), body]), 0o600);
          return ok();
        } catch (cause) {
          return fail('secrets.io', {}, errnoOf(cause));
        }
      });
      queue = next;
      return next;
    },
  };
}
