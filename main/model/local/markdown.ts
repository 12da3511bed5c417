/** A fence longer than any inside, so that nothing in the file ends it (case 91). */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}\n${text}${text.endsWith('\n') ? '' : '\n'}${mark}`;
}

/** Inline code, safe for text with back-quotes of its own. */
export function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const mark = '`'.repeat(longest + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return text === '' ? '' : `${mark}${pad}${text}${pad}${mark}`;
}
