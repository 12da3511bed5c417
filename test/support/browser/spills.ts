import type { Page } from 'playwright-core';

/** Texts that run out of their box and are cut by nothing, or whose control lies outside the window. */
export function spills(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, h1, h2, h3, label, dd, dt, input, .tag')].flatMap((n) => {
      const box = n.getBoundingClientRect();
      if (box.width < 2 || n.classList.contains('sr') || n.closest('.sr, .diff, .set nav, .tablist')) return [];
      const out = box.right > innerWidth + 1 || box.left < -1;
      const over = n.scrollWidth > n.clientWidth + 2 && getComputedStyle(n).overflowX === 'visible' && n.clientWidth > 0;
      return out || over ? [`${n.tagName}.${n.className}: ${(n.textContent ?? '').slice(0, 40)}`] : [];
    }),
  );
}
