import type { Page } from 'playwright-core';

/** What has the keyboard: its role and name, whether the eye can find it. */
export interface Focus {
  readonly tag: string;
  readonly name: string;
  /** A ring, an edge or a ground that says so, on it or on what stands for it. */
  readonly marked: boolean;
  readonly inView: boolean;
}

/** The focus as the person meets it; null when it is lost to the page as a whole. */
export async function focusOf(page: Page): Promise<Focus | null> {
  return page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    if (!at || at === document.body || at === document.documentElement) return null;
    const look = (n: Element) => {
      const s = getComputedStyle(n);
      return [s.outlineStyle === 'none' || s.outlineWidth === '0px' ? '' : s.outline, s.boxShadow, s.backgroundColor, s.borderColor].join('|');
    };
    // What draws the mark: the element, its label or its box. Taking the focus away must change one of them.
    const marks = [at, at.closest('label'), at.closest('.composer'), at.closest('.fr'), at.querySelector('.chev'), at.parentElement].filter((n): n is HTMLElement => n !== null);
    const after = (n: Element) => getComputedStyle(n, '::after').cssText + getComputedStyle(n, '::after').backgroundColor + getComputedStyle(n, '::after').boxShadow;
    const with_ = marks.map((n) => look(n) + after(n));
    at.blur();
    const without = marks.map((n) => look(n) + after(n));
    at.focus({ preventScroll: true });
    const box = (at.classList.contains('sr') ? (at.closest('label') ?? at) : at).getBoundingClientRect();
    const labels = (at as HTMLInputElement).labels;
    return {
      tag: at.tagName.toLowerCase(),
      name: at.getAttribute('aria-label') ?? labels?.[0]?.textContent?.trim() ?? at.textContent?.trim() ?? '',
      marked: with_.some((v, i) => v !== without[i]),
      inView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    };
  });
}
