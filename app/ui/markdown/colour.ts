/**
 * A light hand with colour for code: comments, strings, numbers and the words that most languages share.
 * It reads no grammar, so it is never wrong about meaning, only plain. Output is escaped text in spans.
 */
const WORDS = new Set(
  ('abstract and as async await bool boolean break case catch class const continue def default del delete do elif else enum except export extends false final finally float fn for from func function ' +
    'global go if impl implements import in int interface is lambda let local match mod module mut namespace new nil none None not null or package pass private protected public pub raise readonly return ' +
    'select self static str string struct super switch this throw true True False try type typeof undefined union use using val var void when where while with yield ' +
    'SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN LEFT ON GROUP BY ORDER AND OR NOT NULL AS IF MAX MIN SUM AVERAGE COUNT VLOOKUP').split(' '),
);
/** Languages whose comments begin with `#`; elsewhere `#` is a colour, a heading or a directive. */
const HASH = new Set(['py', 'python', 'sh', 'bash', 'shell', 'zsh', 'yaml', 'yml', 'toml', 'rb', 'ruby', 'r', 'makefile', 'dockerfile', 'powershell', 'ps1']);
const PLAIN = new Set(['', 'text', 'txt', 'plain', 'md', 'markdown', 'diff', 'log', 'csv', 'mermaid']);
/** Longer code stays plain: colour is a help for reading, and nobody reads this much in an answer. */
const MAX = 40_000;

/** Escaped HTML of `code`, coloured when the language is known to be code. */
export function colourCode(code: string, language: string, escape: (text: string) => string): string {
  const name = language.toLowerCase();
  if (PLAIN.has(name) || code.length > MAX) return escape(code);
  const hash = HASH.has(name) ? '|#[^\\n]*' : '';
  const dash = name === 'sql' || name === 'lua' ? '|--[^\\n]*' : '';
  const token = new RegExp(`(\\/\\/[^\\n]*|\\/\\*[^]*?(?:\\*\\/|$)${hash}${dash})|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|(\\b\\d[\\w.]*%?)|([A-Za-z_$][\\w$]*)`, 'g');
  let out = '';
  let at = 0;
  for (const m of code.matchAll(token)) {
    const kind = m[1] !== undefined ? 'co' : m[2] !== undefined ? 'st' : m[3] !== undefined ? 'nu' : WORDS.has(m[0]) ? 'k' : '';
    // An address holds `//` without being a comment.
    if (kind === '' || (kind === 'co' && m[0].startsWith('//') && code[m.index - 1] === ':')) continue;
    out += escape(code.slice(at, m.index)) + `<span class="${kind}">${escape(m[0])}</span>`;
    at = m.index + m[0].length;
  }
  return out + escape(code.slice(at));
}
