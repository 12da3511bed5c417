import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey, SHOTS } from '../support/browser/journey.ts';
import { spills } from '../support/browser/spills.ts';

const NAME = 'Quarterly_reconciliation_of_supplier_framework_agreements_'.repeat(4).slice(0, 200);
const FILE = `${'a-very-long-file-name-without-any-space-'.repeat(5)}.md`;
let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

/** Looks at it small and with the letters twice as large, which is the same to a page: nothing leaves the window, the way out is in reach. */
async function look(name: string): Promise<void> {
  for (const [width, height] of [[640, 400], [1024, 640]] as const) {
    await j.page.setViewportSize({ width, height });
    expect(await spills(j.page), `${name} at ${width}`).toEqual([]);
    expect(await j.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`).toBe(true);
    for (const b of await j.page.locator('dialog[open] footer button').all()) expect(await b.evaluate((n) => n.getBoundingClientRect().bottom <= innerHeight), `${name} at ${width}`).toBe(true);
    await j.page.screenshot({ path: join(SHOTS, `long-${name}-${width}.png`) });
  }
  await j.page.setViewportSize({ width: 1280, height: 800 });
}

test('names of two hundred letters without a space fit into every dialog that says them', async () => {
  j = await Journey.open(browser, { language: 'en' });
  const { t } = j;
  writeFileSync(join(j.work, FILE), 'TODO\n');
  await j.partner(NAME);
  await j.ask(NAME, `replace TODO with DONE in ${FILE}`);
  await j.card.waitFor();
  await look('card');
  await j.approve();
  await j.files.waitFor();
  const question = j.page.getByRole('alertdialog');
  await j.files.getByRole('button', { name: t('files.revertNamed', { name: FILE }), exact: true }).click();
  await question.waitFor();
  await look('revert');
  await question.getByRole('button', { name: t('revert.do') }).click();
  await j.files.getByText(t('files.reverted'), { exact: true }).waitFor();
  writeFileSync(join(j.work, FILE), 'mine\n');
  await j.files.getByRole('button', { name: t('files.undoNamed', { name: FILE }), exact: true }).click();
  await question.waitFor();
  await look('undo');
  await j.page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });

  await j.page.getByRole('button', { name: new RegExp(`^${t('permission.label')}`) }).click();
  await j.page.getByRole('menuitemradio', { name: new RegExp(`^${t('permission.full')}`) }).click();
  await question.waitFor();
  await look('full-access');
  await j.page.keyboard.press('Escape');
  await j.page.getByRole('navigation', { name: t('sidebar.label') }).getByTitle(NAME).hover();
  await j.button(t('partner.delete')).click();
  await question.waitFor();
  await look('delete');
  await j.page.keyboard.press('Escape');
  await j.files.getByTitle(new RegExp(FILE)).first().click();
  await j.panel.getByText(t('files.reverted')).waitFor();
  await look('panel');
});
