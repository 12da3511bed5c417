import type { BrowserWindow, Dialog, Shell } from 'electron';
import { fail, ok } from '#domain/result.ts';
import type { Trash } from '#main/changes/types.ts';
import type { Host } from '#main/hosts/host.ts';
import type { FsPort } from '#main/ports/fs.ts';
import { looksLikePackage } from '../reveal.ts';
import { createElectronSecrets, type SealingParts } from './secrets.ts';

export interface ElectronParts {
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath' | 'trashItem'>;
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly safeStorage: SealingParts;
  readonly window: () => BrowserWindow | null;
  readonly fs: FsPort;
  readonly dataDir: string;
  /** The freedesktop trash on Linux, which can restore exactly; null elsewhere. */
  readonly linuxTrash: Trash | null;
}

/** The Host of the desktop window (design §7). */
export function createElectronHost(parts: ElectronParts): Host {
  const { shell, dialog, fs } = parts;
  return {
    kind: 'electron',
    async chooseFolder() {
      const window = parts.window();
      const options = { properties: ['openDirectory' as const, 'createDirectory' as const] };
      const chosen = window ? await dialog.showOpenDialog(window, options) : await dialog.showOpenDialog(options);
      return chosen.canceled ? null : (chosen.filePaths[0] ?? null);
    },
    async reveal(path) {
      // NUL cuts a path short below JavaScript: what is checked would not be what is opened.
      if (path.includes('\0')) return fail('gate.name.control', {});
      const stat = await fs.stat(path).catch(() => null);
      if (!stat) return fail('reveal.missing', { path });
      // A folder that a system takes for a program must be shown, never opened: opening would start it.
      if (stat.kind !== 'folder' || looksLikePackage(path)) {
        shell.showItemInFolder(path);
        return ok();
      }
      const problem = await shell.openPath(path);
      return problem === '' ? ok() : fail('reveal.noProgram', {}, problem);
    },
    show() {
      const window = parts.window();
      if (window?.isMinimized()) window.restore();
      window?.show();
      window?.focus();
      return null;
    },
    trash: parts.linuxTrash ?? systemTrash(shell),
    secrets: createElectronSecrets(parts.safeStorage, fs, parts.dataDir),
  };
}

function systemTrash(shell: ElectronParts['shell']): Trash {
  return {
    async put(path) {
      try {
        await shell.trashItem(path);
        return ok(null);
      } catch (cause) {
        return fail('trash.failed', {}, cause instanceof Error ? cause.message : String(cause));
      }
    },
    restore: async () => fail('trash.byHand'),
  };
}
