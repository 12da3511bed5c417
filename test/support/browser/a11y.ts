import type { Page } from 'playwright-core';

const NAMED = new Set(['button', 'textbox', 'combobox', 'radio', 'radiogroup', 'link', 'tab', 'tablist', 'menu', 'menuitem', 'menuitemradio', 'dialog', 'alertdialog', 'region', 'navigation', 'complementary', 'log', 'img', 'separator']);

/** What the accessibility tree shows that a screen reader could call only by its kind: it must be empty. */
export async function nameless(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes.flatMap((n) => (!n.ignored && NAMED.has(String(n.role?.value)) && String(n.name?.value ?? '').trim() === '' ? [String(n.role?.value)] : []));
}
