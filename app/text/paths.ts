/** Path texts of any system, for showing only; what a path means is decided by the host. */

/** The last part: `a/b.md` → `b.md`. */
export function nameOf(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return parts.at(-1) ?? path;
}

/** What stands before the last part, with its separator, or an empty text. */
export function folderOf(path: string): string {
  const name = nameOf(path);
  return path.endsWith(name) ? path.slice(0, path.length - name.length) : '';
}

/**
 * The path as people know it: below a work address the address's name and the rest (`报价/比价.md`),
 * else the whole path.
 */
export function shownPath(path: string, addresses: readonly { readonly name: string; readonly root: string }[]): string {
  const home = addresses.filter((a) => isInside(path, a.root)).sort((a, b) => b.root.length - a.root.length)[0];
  if (!home) return path;
  const rest = path.slice(home.root.replace(/[\\/]+$/, '').length).replace(/^[\\/]+/, '').replaceAll('\\', '/');
  return rest ? `${home.name}/${rest}` : home.name;
}

function isInside(path: string, root: string): boolean {
  const base = root.replace(/[\\/]+$/, '');
  return path === base || (path.startsWith(base) && /[\\/]/.test(path[base.length] ?? ''));
}

export type FileKind = 'doc' | 'xls' | 'ppt' | 'pdf' | 'image' | 'file';
const KINDS: Readonly<Record<string, FileKind>> = {
  doc: 'doc', docx: 'doc', rtf: 'doc', xls: 'xls', xlsx: 'xls', csv: 'xls', tsv: 'xls', ppt: 'ppt', pptx: 'ppt', pdf: 'pdf',
  png: 'image', jpg: 'image', jpeg: 'image', gif: 'image', webp: 'image', svg: 'image', bmp: 'image',
};

/** Which picture stands for a file. */
export function fileKind(path: string): FileKind {
  return KINDS[(/\.([^.\\/]+)$/.exec(path)?.[1] ?? '').toLowerCase()] ?? 'file';
}

/** A size for people: `84 KB`, `2.1 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[unit]}`;
}
