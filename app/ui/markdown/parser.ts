import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { colourCode } from './colour.ts';
import { imageHost, isInlineImage, linkTarget } from './links.ts';
import { mathPlugin } from './math.ts';

/** The texts that rendered Markdown itself needs. */
export interface MarkdownWords {
  readonly copyCode: string;
  readonly unavailable: string;
  remoteImage(host: string): string;
  readonly blockedImage: string;
}

/**
 * The one reader of Markdown. Raw HTML stays text; bare addresses are not made links; link references are
 * off, because a definition further down would change blocks that already stand while text streams in.
 */
export function createParser(words: MarkdownWords): MarkdownIt {
  const md = createMarkdownIt({ html: false, linkify: false, typographer: false, breaks: false, maxNesting: 40 });
  md.disable(['reference', 'html_block', 'html_inline']);
  // Judged once, when drawn: a link that may not open must still show its text, not its source.
  md.validateLink = () => true;
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  mathPlugin(md);
  md.core.ruler.after('inline', 'tasks', (state) => markTasks(state.tokens));
  const escape = md.utils.escapeHtml;
  const { rules } = md.renderer;

  rules.link_open = (tokens, i) => {
    const href = String(tokens[i]?.attrGet('href') ?? '');
    const target = linkTarget(href);
    // No address on the element at all: nothing to follow, prefetch, look up or drag out.
    if (target.kind === 'blocked') return `<span class="lk off" title="${escape(words.unavailable)}">`;
    const title = target.kind === 'web' ? target.url : target.kind === 'mail' ? target.address : target.kind === 'file' ? target.path : href;
    return `<a class="lk" role="link" tabindex="0" data-open="${escape(href)}" title="${escape(title)}">`;
  };
  rules.link_close = (tokens, i) => {
    let depth = 0;
    for (let n = i; n >= 0; n--) {
      const type = tokens[n]?.type;
      if (type === 'link_close') depth++;
      else if (type === 'link_open' && --depth === 0) return linkTarget(String(tokens[n]?.attrGet('href') ?? '')).kind === 'blocked' ? '</span>' : '</a>';
    }
    return '</span>';
  };
  rules.image = (tokens, i) => {
    const src = String(tokens[i]?.attrGet('src') ?? '');
    const alt = tokens[i]?.content ?? '';
    if (isInlineImage(src)) return `<img src="${escape(src)}" alt="${escape(alt)}">`;
    const host = imageHost(src);
    const note = host === null ? words.blockedImage : words.remoteImage(host);
    return `<span class="noimg" role="img" aria-label="${escape(alt || note)}">${alt ? `<b>${escape(alt)}</b> ` : ''}${escape(note)}</span>`;
  };
  rules.fence = (tokens, i) => codeBlock(tokens[i]?.content ?? '', (tokens[i]?.info ?? '').trim().split(/\s+/)[0] ?? '', escape, words);
  rules.code_block = (tokens, i) => codeBlock(tokens[i]?.content ?? '', '', escape, words);
  rules.table_open = () => '<div class="tblw" tabindex="0" role="region"><table class="tbl">';
  rules.table_close = () => '</table></div>';
  for (const cell of ['th_open', 'td_open'] as const) {
    rules[cell] = (tokens, i) => {
      // A style attribute would be refused by the page's policy; a class says the same.
      const align = /text-align:(right|center)/.exec(String(tokens[i]?.attrGet('style') ?? ''))?.[1];
      return `<${cell.slice(0, 2)}${align ? ` class="${align === 'right' ? 'r' : 'c'}"` : ''}>`;
    };
  }
  rules.task = (tokens, i) => `<input type="checkbox" disabled${tokens[i]?.meta?.['done'] === true ? ' checked' : ''}> `;
  return md;
}

/** A code block with its language and a copy button; the button is wired by the component that shows it. */
export function codeBlock(code: string, language: string, escape: (text: string) => string, words: MarkdownWords): string {
  const name = /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  return `<div class="code"><div class="ch"><span class="grow">${escape(name)}</span><button type="button" class="ib sm" data-copy aria-label="${escape(words.copyCode)}" title="${escape(words.copyCode)}"></button></div><pre tabindex="0"><code>${colourCode(code, name, escape)}</code></pre></div>`;
}

/** `- [x] done`: the first text of a list item may begin with a box. */
function markTasks(tokens: Token[]): void {
  for (let i = 2; i < tokens.length; i++) {
    const inline = tokens[i];
    if (inline?.type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
    const first = inline.children?.[0];
    const box = first?.type === 'text' ? /^\[([ xX])\](?:\s|$)/.exec(first.content) : null;
    if (!first || !box) continue;
    first.content = first.content.slice(box[0].length);
    const task = Object.assign(Object.create(Object.getPrototypeOf(first) as object) as Token, first, { type: 'task', tag: 'input', content: '', meta: { done: box[1] !== ' ' } });
    inline.children?.unshift(task);
    tokens[i - 2]?.attrJoin('class', 'task');
  }
}
