import { dirname, join, resolve } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Language } from '#domain/words/words.ts';
import type { Answering } from '#main/server/session.ts';
import { blobsIn, exportReadable, partnersIn } from '#main/export/export-readable.ts';
import type { FsPort } from '#main/ports/fs.ts';

/**
 * What may still be done with a data folder of a newer version: taking out what is readable and showing
 * where it went. Not one byte is written to the folder itself (WB-COMPOSER-012-AC4).
 */
export function newerDataCalls(options: {
  readonly fs: FsPort;
  readonly dataDir: string;
  readonly home: string;
  readonly language: Language;
  readonly now: () => number;
  readonly reveal: (path: string) => Promise<Result<void>>;
}): Pick<Answering['handlers'], 'partner.exportReadable' | 'file.reveal'> {
  const { fs, dataDir, home } = options;
  const exported = new Set<string>();
  return {
    async 'partner.exportReadable'({ partner, folder }, caller) {
      if (caller.insideRun) return fail('rights.insideRun');
      const ids = (await partnersIn(fs, dataDir)).filter((id) => partner === undefined || id === partner);
      const done = await exportReadable({
        fs, dataDir, chosen: folder ?? null, usual: join(home, 'Curator exports'), language: options.language, now: options.now(),
        readBlob: blobsIn(fs, dataDir), partners: ids.map((id) => ({ id, name: null })),
      });
      if (done.ok) exported.add(done.value.folder);
      return done;
    },
    async 'file.reveal'({ path }) {
      const at = resolve(path);
      if (!exported.has(at) && !exported.has(dirname(at))) return fail('gate.outside', { path });
      const done = await options.reveal(at);
      return done.ok ? ok({ shown: true }) : done;
    },
  };
}
