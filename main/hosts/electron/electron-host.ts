import type { BrowserWindow, Dialog, SafeStorage, Shell } from 'electron';
import { join } from 'node:path';
import { fail, ok, type Result } from '#domain/result.ts';
import type { Trash } from '#main/changes/types.ts';
import { writeFileAtomic } from '#main/fs/atomic.ts';
import type { Host } from '#main/hosts/host.ts';
import { errnoOf, type FsPort } from '#main/ports/fs.ts';
import { createFileSecrets } from '#main/secrets/file-secrets.ts';
import type { Secrets } from '#main/secrets/types.ts';

export interface ElectronParts {
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath' | 'trashItem'>;
  readonly dialog: Pick<Dialog, 'showOpenDialog'>;
  readonly safeStorage: Pick<SafeStorage, 'isEncryptionAvailable' | 'encryptString' | 'decryptString'> & { getSelectedStorageBackend?: () => string };
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
      if (stat.kind !== 'folder') {
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
    secrets: createElectronSecrets(parts),
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

/**
 * Keys in the system's secret storage. Where Linux has none but “basic text” (a key that every program
 * knows) that is no protection: the encrypted file is used, and the settings page says what it is worth.
 */
function createElectronSecrets({ safeStorage, fs, dataDir }: ElectronParts): Secrets {
  const real = safeStorage.isEncryptionAvailable() && safeStorage.getSelectedStorageBackend?.() !== 'basic_text';
  if (!real) return createFileSecrets(fs, join(dataDir, 'secrets'));
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
      const all = await load().catch(() => ({}) as Record<string, string>);
      const sealed = Object.hasOwn(all, name) ? all[name] : undefined;
      return sealed === undefined ? null : safeStorage.decryptString(Buffer.from(sealed, 'base64'));
    },
    set(name, value) {
      const next = queue.then(async (): Promise<Result<void>> => {
        try {
          const all = await load();
          if (value === '') delete all[name];
          else all[name] = safeStorage.encryptString(value).toString('base64');
          await writeFileAtomic(fs, file, new TextEncoder().encode(JSON.stringify(all)), 0o600);
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
