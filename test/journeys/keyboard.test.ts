import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Language } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { focusOf, type Focus } from '../support/browser/focus.ts';
import { Journey } from '../support/browser/journey.ts';

let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

/** Where the keyboard is: never nowhere, always to be seen. */
async function focus(): Promise<Focus> {
  const at = await focusOf(j.page);
  expect(at, 'the focus is lost').not.toBeNull();
  expect(at, 'the focus shows').toMatchObject({ marked: true, inView: true });
  return at!;
}
/** Walks with one key until the focus is on what is called so; a person would give up after `most` steps. */
async function walk(to: string | RegExp, key = 'Tab', most = 40): Promise<void> {
  const seen: string[] = [];
  for (let n = 0; n < most; n++) {
    const at = await focus().catch((cause: unknown) => (n === 0 ? null : Promise.reject(cause instanceof Error ? cause : new Error(String(cause)))));
    if (at && (typeof to === 'string' ? at.name === to : to.test(at.name))) return;
    seen.push(at?.name ?? '—');
    await j.page.keyboard.press(key);
  }
  throw new Error(`no way to ${to} by ${key}: ${seen.join(' → ')}`);
}
const press = (key: string) => j.page.keyboard.press(key);
const dialog = () => j.page.locator('dialog[open]');
const gone = () => dialog().waitFor({ state: 'hidden' });

test.each<Language>(['zh', 'en'])('[WB-SESSION-001-AC4] [WB-BLOCKER-001-AC1] [WB-APPLY-003-AC1] sample folder, partner, address, request, approval, review, revert and its undoing by the keyboard alone (%s)', async (language) => {
  j = await Journey.open(browser, { language, prepare: ({ work }) => writeFileSync(join(work, 'mine.md'), 'TODO one\nkeep\n') });
  const { t } = j;
  await j.button(t('empty.sample')).waitFor();
  await walk(t('empty.sample'));
  await press('Enter');
  await j.composer(t('empty.samplePartner')).waitFor();
  expect((await focus()).tag).toBe('textarea');

  // A partner of one's own: the dialog keeps the keyboard, Esc gives it back to where it was.
  await walk(t('sidebar.create'), 'Shift+Tab');
  await press('Enter');
  await dialog().waitFor();
  for (let n = 0; n < 30; n++) {
    await press('Tab');
    expect(await j.page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null)).toBe(true);
  }
  await press('Escape');
  await gone();
  expect((await focus()).name).toBe(t('sidebar.create'));
  await press('Alt+n');
  await dialog().waitFor();
  expect((await focus()).tag).toBe('input');
  await j.page.keyboard.type('Juniper');
  await press('Enter');
  await j.composer('Juniper').waitFor();
  expect((await focus()).tag).toBe('textarea');

  // An address: typed path, arrow keys for the rule.
  await walk(t('talk.addFolder'));
  await press('Enter');
  await dialog().getByText(t('folder.lead')).waitFor();
  await dialog().getByRole('listitem').first().waitFor();
  await j.page.keyboard.press('ControlOrMeta+a');
  await j.page.keyboard.type(j.work);
  await press('Enter');
  await dialog().getByRole('button', { name: t('folder.use', { name: 'work' }) }).waitFor();
  await walk(new RegExp(`^${t('policy.confirm')}`));
  await press('Space');
  await walk(t('folder.use', { name: 'work' }));
  await press('Enter');
  await gone();
  await focus();

  // Ask, look at the plan, approve with a key.
  await press('Alt+c');
  await j.page.keyboard.type(language === 'zh' ? '把 mine.md 里的 TODO 换成 DONE' : 'replace TODO with DONE in mine.md');
  await press('Enter');
  await j.card.getByText('DONE one').waitFor();
  await focus();
  await press('Alt+y');
  await j.files.waitFor();
  expect(readFileSync(join(j.work, 'mine.md'), 'utf8')).toContain('DONE one');
  await focus();

  // Review: the row opens the panel, the panel's own buttons are next in line.
  await walk(/^work\/mine\.md/, 'Shift+Tab');
  await press('Enter');
  await j.panel.getByText('DONE one').waitFor();
  await walk(t('files.revert'));
  await j.shots('keyboard-diff');
  await press('Enter');
  await dialog().getByRole('button', { name: t('revert.do') }).waitFor();
  // A red button never has the first focus.
  expect((await focus()).name).toBe(t('common.cancel'));
  await press('Escape');
  await gone();
  expect((await focus()).name).toBe(t('files.revert'));
  expect(readFileSync(join(j.work, 'mine.md'), 'utf8')).toContain('DONE one');
  await press('Enter');
  await dialog().getByRole('button', { name: t('revert.do') }).waitFor();
  await walk(t('revert.do'));
  await press('Enter');
  await gone();
  await j.panel.getByText(t('files.reverted')).waitFor();
  expect(readFileSync(join(j.work, 'mine.md'), 'utf8')).toContain('TODO one');
  // The button that was pressed is another one now; the keyboard stays on it.
  expect((await focus()).name).toBe(t('files.undo'));
  await press('Enter');
  await j.panel.getByRole('button', { name: t('files.revert'), exact: true }).waitFor();
  expect(readFileSync(join(j.work, 'mine.md'), 'utf8')).toContain('DONE one');
  await focus();

  // The panel folds and the keyboard is somewhere sensible.
  await press('Control+j');
  await j.panel.waitFor({ state: 'hidden' });
  await focus();
  await press('?');
  await press('Escape');
  await press('Control+,');
  await j.page.getByRole('region', { name: t('settings.title') }).waitFor();
  await press('Escape');
  await j.composer('Juniper').waitFor();
  await focus();
});
