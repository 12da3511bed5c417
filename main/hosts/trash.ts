import { join } from 'node:path';
import { fail, ok } from '#domain/result.ts';
import type { Trash } from '#main/changes/types.ts';
import type { Clock } from '#main/ports/clock.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { createFreedesktopTrash } from '#main/trash/freedesktop.ts';

/** The system's trash outside Electron: the freedesktop one on Linux (restored exactly), elsewhere the system's own through a library (restored by the person). */
export function createSystemTrash(options: { readonly fs: FsPort; readonly clock: Clock; readonly platform: string; readonly home: string; readonly dataHome: string | undefined }): Trash {
  if (options.platform === 'linux') {
    return createFreedesktopTrash({ fs: options.fs, clock: options.clock, dataHome: options.dataHome ?? join(options.home, '.local', 'share'), uid: process.getuid?.() ?? 0 });
  }
  return {
    async put(path) {
      try {
        // Loaded where it is used: on Linux it never is, and a command line should start at once.
        const { default: trash } = await import('trash');
        await trash(path, { glob: false });
        return ok(null);
      } catch (cause) {
        return fail('trash.failed', {}, cause instanceof Error ? cause.message : String(cause));
      }
    },
    restore: async () => fail('trash.byHand'),
  };
}
