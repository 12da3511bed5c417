import DOMPurify from 'dompurify';

/** What rendered Markdown consists of; everything else is dropped, whatever made it. */
const TAGS = [
  'a', 'b', 'blockquote', 'br', 'button', 'code', 'del', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'input', 'li', 'ol', 'p', 'pre', 's', 'span',
  'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
];
const ATTRIBUTES = ['alt', 'aria-label', 'checked', 'class', 'data-copy', 'data-open', 'disabled', 'role', 'src', 'start', 'tabindex', 'title', 'type'];

const purify = DOMPurify(window);
purify.addHook('uponSanitizeElement', (node, data) => {
  if (!(node instanceof Element)) return;
  // The only field is the box of a task list, and nobody can use it.
  if (data.tagName === 'input' && (node.getAttribute('type') !== 'checkbox' || !node.hasAttribute('disabled'))) node.remove();
  if (data.tagName === 'img' && !/^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,/i.test(node.getAttribute('src') ?? '')) node.remove();
});

/** The second wall behind a parser that already makes no other markup. */
export function sanitize(html: string): DocumentFragment {
  return purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    ADD_DATA_URI_TAGS: ['img'],
    RETURN_DOM_FRAGMENT: true,
  });
}
