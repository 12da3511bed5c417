/**
 * Path rules of the three systems, as plain text functions with the system as an argument: the same
 * code decides on every machine and can be tested on any (C-05, WA-POLICY-01). Nothing here looks at
 * a disk; what a link means is resolved before the decision (main/gate).
 */
export type Flavour = 'posix' | 'win32' | 'darwin';

export interface SplitPath {
  /** `/`, or a drive such as `C:\`; upper-case letter. */
  readonly root: string;
  /** Names below the root, without `.` and with `..` already taken back. */
  readonly parts: readonly string[];
}

export function separatorOf(flavour: Flavour): '/' | '\\' {
  return flavour === 'win32' ? '\\' : '/';
}

const DRIVE = /^[A-Za-z]:[\\/]/;

/** Absolute without any doubt: `/…`, or a drive letter with a separator. UNC and device paths are none of ours. */
export function isAbsolutePath(path: string, flavour: Flavour): boolean {
  return flavour === 'win32' ? DRIVE.test(path) : path.startsWith('/');
}

/**
 * Splits an absolute path and takes `.` and `..` back by text. A `..` above the root stays at the root,
 * as on every system.
 */
export function splitPath(path: string, flavour: Flavour): SplitPath {
  const win = flavour === 'win32';
  const root = win ? path.slice(0, 1).toUpperCase() + ':\\' : '/';
  const parts: string[] = [];
  for (const part of path.slice(win ? 3 : 1).split(win ? /[\\/]/ : '/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return { root, parts };
}

export function formatPath(split: SplitPath, flavour: Flavour): string {
  return split.root + split.parts.join(separatorOf(flavour));
}

/** The path with `.` and `..` taken back and one kind of separator. */
export function normalisePath(path: string, flavour: Flavour): string {
  return formatPath(splitPath(path, flavour), flavour);
}

/** Joins an absolute base and a relative path (written with `/`, on Windows also `\`) and normalises. */
export function joinPath(base: string, relative: string, flavour: Flavour): string {
  return normalisePath(base + separatorOf(flavour) + relative, flavour);
}

export function parentOf(path: string, flavour: Flavour): string {
  const { root, parts } = splitPath(path, flavour);
  return formatPath({ root, parts: parts.slice(0, -1) }, flavour);
}

/** The last name, or '' for a root. */
export function nameOf(path: string, flavour: Flavour): string {
  return splitPath(path, flavour).parts.at(-1) ?? '';
}

/**
 * Compares name by name, never by prefix of the text (`/ws-evil` is not in `/ws`). `exact` is for what
 * permits (real paths have the disk's own spelling); `loose` is for what forbids, where a volume may
 * ignore case or Unicode form.
 */
export function isWithin(path: string, folder: string, flavour: Flavour, how: 'exact' | 'loose'): boolean {
  const same = how === 'exact' ? (x: string) => x : foldName;
  const inner = splitPath(path, flavour);
  const outer = splitPath(folder, flavour);
  return same(inner.root) === same(outer.root) && outer.parts.length <= inner.parts.length && outer.parts.every((part, i) => same(part) === same(inner.parts[i]!));
}

/** `path` below `folder` with `/`, or '' for the folder itself. Call only when it is within. */
export function relativeTo(path: string, folder: string, flavour: Flavour): string {
  const { parts } = splitPath(path, flavour);
  return parts.slice(splitPath(folder, flavour).parts.length).join('/');
}

/**
 * One spelling for names that some disk takes for the same: compatibility forms, case (also ı, ſ, K)
 * and the dot that lower-casing İ leaves behind.
 */
export function foldName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').normalize('NFC');
}
