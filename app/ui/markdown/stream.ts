import type { MarkdownIt } from 'markdown-it';
import { cutBlocks, openFence } from './blocks.ts';
import { codeBlock, createParser, type MarkdownWords } from './parser.ts';
import { sanitize } from './sanitize.ts';

/** A tail longer than this shows as plain text until it is finished: no reader is quick on one endless line. */
const MAX_LIVE_TAIL = 12_000;
/** One finished block longer than this stays plain text: nobody reads its emphasis, everybody feels its cost. */
const MAX_BLOCK = 60_000;

/**
 * Draws Markdown into an element, the same whether the text came at once or letter by letter: finished
 * blocks are drawn once and stay, only the tail is drawn again. `update` may be called with any prefix.
 */
export class MarkdownStream {
  readonly #root: HTMLElement;
  readonly #words: MarkdownWords;
  readonly #md: MarkdownIt;
  /** Structure only: finding where blocks begin needs no inline reading, which is most of the cost. */
  readonly #structure: MarkdownIt;
  #text = '';
  #settled = 0;
  #tail: ChildNode[] = [];
  #fence: { readonly text: Text; length: number; language: string } | null = null;

  constructor(root: HTMLElement, words: MarkdownWords) {
    this.#root = root;
    this.#words = words;
    this.#md = createParser(words);
    this.#structure = createParser(words);
    this.#structure.core.ruler.disable(['inline', 'tasks', 'text_join', 'linkify', 'replacements', 'smartquotes'], true);
  }

  /** Shows `text`. `final` says that nothing more comes, so even a long last block is read fully. */
  update(text: string, final: boolean): void {
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    let tail = text.slice(this.#settled);
    if (this.#growFence(tail, final)) return;
    this.#clearTail();
    const cut = cutBlocks(this.#structure, tail);
    for (const block of cut.done) for (const node of this.#draw(block, true)) this.#root.append(node);
    this.#settled += cut.rest;
    tail = tail.slice(cut.rest);
    if (tail.trim() === '') return;
    this.#tail = this.#drawTail(tail, final);
    this.#root.append(...this.#tail);
  }

  /** An open code block grows by its new text only, whatever its length. */
  #growFence(tail: string, final: boolean): boolean {
    if (!this.#fence || final) return false;
    const open = openFence(tail);
    if (!open || open.language !== this.#fence.language || open.code.length < this.#fence.length) return false;
    if (open.code.length > this.#fence.length) this.#fence.text.appendData(open.code.slice(this.#fence.length));
    this.#fence.length = open.code.length;
    return true;
  }

  #drawTail(tail: string, final: boolean): ChildNode[] {
    const open = final ? null : openFence(tail);
    if (open) {
      const nodes = [...sanitize(codeBlock('', open.language, this.#md.utils.escapeHtml, this.#words)).childNodes];
      const code = nodes[0] instanceof Element ? nodes[0].querySelector('code') : null;
      if (code) {
        const text = document.createTextNode(open.code);
        code.append(text);
        this.#fence = { text, length: open.code.length, language: open.language };
        return nodes;
      }
    }
    return tail.length > MAX_LIVE_TAIL && !final ? [plain(tail)] : this.#draw(tail, final);
  }

  #draw(source: string, whole: boolean): ChildNode[] {
    if (whole && source.length > MAX_BLOCK && !/^ {0,3}(?:`{3}|~{3})/.test(source)) return [plain(source)];
    return [...sanitize(this.#md.render(source)).childNodes].filter((n) => n.nodeType !== Node.TEXT_NODE || n.textContent?.trim() !== '');
  }

  #clearTail(): void {
    for (const node of this.#tail) node.remove();
    this.#tail = [];
    this.#fence = null;
  }

  #reset(): void {
    this.#root.replaceChildren();
    this.#tail = [];
    this.#fence = null;
    this.#settled = 0;
    this.#text = '';
  }
}

function plain(text: string): HTMLElement {
  const p = document.createElement('p');
  p.className = 'plain';
  p.textContent = text;
  return p;
}
