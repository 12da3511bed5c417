/** Folders that scan, search and @ leave out (C-11): the union of both lists of the sources. Hidden folders go too. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git', '.vs', '.idea', 'build', 'cmake-build-debug', 'cmake-build-release', 'node_modules', 'dist', 'release', 'release_packages', 'logs', '__pycache__', 'target', '.desktoppet',
]);

/** WA-SCAN-01, -02: how deep and how many files a walk sees; it says what it left out. */
export const SCAN_DEPTH = 8;
export const SCAN_FILES = 5000;

/** Suffixes that are text without a look inside (WA-READ-04); anything else is decided by its bytes (C-08). */
export const TEXT_SUFFIXES: ReadonlySet<string> = new Set('.cpp .h .hpp .c .cc .py .js .ts .json .md .txt .ini .xml .yaml .yml .cmake .pro .css .html'.split(' '));

export function isSkippedFolder(name: string): boolean {
  return name.startsWith('.') || SKIPPED_FOLDERS.has(name.toLowerCase());
}
