import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';

/** Copies the shipped sample folder into the person's documents (or home) under a name that is free. Nothing existing is touched. */
export async function copySample(options: { readonly fs: FsPort; readonly home: string; readonly sampleDir: string; readonly locale: 'zh' | 'en' }): Promise<Result<string>> {
  const { fs, home } = options;
  try {
    const documents = join(home, 'Documents');
    const base = await fs.stat(documents).then((s) => (s.kind === 'folder' ? documents : home), () => home);
    const name = options.locale === 'zh' ? '馆长示例' : 'Curator sample';
    for (let n = 1; n < 100; n++) {
      const target = join(base, n === 1 ? name : `${name} ${n}`);
      try {
        await fs.mkdir(target);
      } catch (cause) {
        if (errnoOf(cause) === 'EEXIST') continue;
        throw cause;
      }
      await copyTree(fs, options.sampleDir, target);
      return ok(await fs.realpath(target));
    }
    return fail('sample.noName', { path: base });
  } catch (cause) {
    return fail('sample.failed', { errno: errnoOf(cause) });
  }
}

async function copyTree(fs: FsPort, from: string, to: string): Promise<void> {
  for (const e of await fs.readdir(from)) {
    if (e.kind === 'folder') {
      await fs.mkdir(join(to, e.name));
      await copyTree(fs, join(from, e.name), join(to, e.name));
    } else if (e.kind === 'file') await fs.copyFile(join(from, e.name), join(to, e.name));
  }
}
