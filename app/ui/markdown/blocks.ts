import type { MarkdownIt } from 'markdown-it';

/**
 * Cuts a text that is still growing into finished blocks and an open tail. A block is finished once the
 * next one begins on a line that has its end: what follows can no longer change it. Because references
 * are off, blocks know nothing of each other, so finished ones are never read again.
 */
export interface Cut {
  /** Source of each finished block of the given text, in order. */
  readonly done: readonly string[];
  /** Where the open tail begins, in characters. */
  readonly rest: number;
}

/** Reads `text` (from the last cut on) and says what of it is finished. */
export function cutBlocks(md: MarkdownIt, text: string): Cut {
  const ends = lineStarts(text);
  const starts: number[] = [];
  for (const token of md.parse(text, { structureOnly: true })) {
    if (token.level === 0 && token.map && token.nesting >= 0) starts.push(token.map[0]);
  }
  const done: string[] = [];
  let from = 0;
  for (const line of starts.slice(1)) {
    const at = ends[line] ?? text.length;
    // The line that begins the next block must be whole: `***` may yet turn out to be `***bold***`.
    if (ends[line + 1] === undefined) break;
    done.push(text.slice(from, at));
    from = at;
  }
  return { done, rest: from };
}

/** Start of every line; a last line without its end has no successor. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** An open fence: its opening line is whole and its closing line has not come. Then only its text grows. */
export function openFence(tail: string): { readonly language: string; readonly code: string } | null {
  const open = /^( {0,3})(`{3,}|~{3,})([^\n]*)\n/.exec(tail);
  if (!open) return null;
  const [, , fence = '', info = ''] = open;
  if (fence.startsWith('`') && info.includes('`')) return null;
  // Indented fences take blanks off every line, which plain growing cannot do.
  if (open[1] !== '') return null;
  const code = tail.slice(open[0].length);
  const mark = fence[0] === '`' ? '`' : '~';
  const closing = new RegExp(`^ {0,3}\\${mark}{${fence.length},}[ \\t]*$`, 'm');
  // Half a closing line must not flash as code: the last line waits while it could still become the fence.
  const lastLine = code.lastIndexOf('\n') + 1;
  const last = code.slice(lastLine);
  if (closing.test(code)) return null;
  const held = last.trim() !== '' && new RegExp(`^ {0,3}\\${mark}+$`).test(last);
  return { language: info.trim().split(/\s+/)[0] ?? '', code: held ? code.slice(0, lastLine) : code };
}
