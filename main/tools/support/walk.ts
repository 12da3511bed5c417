import { OWN_LEFTOVER } from '#domain/policy/names.ts';
import { isSkippedFolder, SCAN_DEPTH, SCAN_FILES } from '#domain/policy/skipped.ts';
import type { ToolContext } from '../types.ts';
import { readFolderExactly } from './exact.ts';

export interface Walked {
  readonly files: readonly { readonly path: string; readonly shown: string; readonly name: string }[];
  /** Folders not entered: too deep, refused by the gate, or unreadable. */
  readonly notEntered: number;
  /** The walk stopped at its limit of files. */
  readonly more: boolean;
}

/**
 * Files below a folder, nearest first, with an explicit stack (WA-SCAN-01…05). Never follows a link,
 * never enters hidden or produced folders, asks the gate before each folder.
 */
export async function walk(context: ToolContext, top: string, signal: AbortSignal, limits = { depth: SCAN_DEPTH, files: SCAN_FILES }): Promise<Walked> {
  const files: { path: string; shown: string; name: string }[] = [];
  const queue: { path: string; shown: string; depth: number }[] = [{ path: top, shown: '', depth: 0 }];
  const separator = top.includes('\\') && !top.startsWith('/') ? '\\' : '/';
  let notEntered = 0;
  for (let folder; (folder = queue.shift()) !== undefined && !signal.aborted; ) {
    const entries = await readFolderExactly(context.fs, folder.path).catch(() => null);
    if (entries === null) {
      notEntered += 1;
      continue;
    }
    for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder.path.endsWith(separator) ? folder.path + entry.name : folder.path + separator + entry.name;
      const shown = folder.shown === '' ? entry.name : `${folder.shown}/${entry.name}`;
      if (entry.kind === 'file' && !OWN_LEFTOVER.test(entry.name)) {
        if (files.length >= limits.files) return { files, notEntered, more: true };
        files.push({ path, shown, name: entry.name });
      } else if (entry.kind === 'folder' && !isSkippedFolder(entry.name)) {
        const enter = folder.depth < limits.depth && (await context.gate.judge('list', path, context.gateContext)).verdict === 'do';
        if (enter) queue.push({ path, shown, depth: folder.depth + 1 });
        else notEntered += 1;
      }
    }
  }
  return { files, notEntered, more: false };
}

/** Where a search without a path begins: every work address. */
export function searchRoots(context: ToolContext, path: string | undefined): readonly { readonly path: string; readonly prefix: string }[] {
  if (path !== undefined && path !== '') return [{ path, prefix: '' }];
  const { addresses } = context.gateContext;
  return addresses.map((one) => ({ path: one.root, prefix: addresses.length > 1 ? `${one.name}/` : '' }));
}
