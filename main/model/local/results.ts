import type { Step } from './turn.ts';

/** How `list_files` ends a listing that it cut. A name may begin with a bracket too. */
export const LEFT_OUT = /^\[(\d+) more entries left out\]$/m;

/** Nothing was done yet. */
export const NOTHING: Step = { tool: '', args: {}, outcome: 'ok', code: null, text: '' };

/**
 * A file as `read_file` answers it when asked from line 1: then the first line is always the tool's own
 * note. Without it a file that itself begins with brackets could not be told from one with a note.
 */
export function wholeOf(read: Step): { readonly note: string; readonly body: string } {
  const end = read.text.indexOf('\n');
  return end < 0 ? { note: read.text, body: '' } : { note: read.text.slice(0, end), body: read.text.slice(end + 1) };
}

/** A listing of the work addresses themselves: `name/  (root, policy)`. */
export function isRoots(lines: readonly string[]): boolean {
  return lines.length > 0 && lines.every((l) => /\/ {2}\(/.test(l));
}
