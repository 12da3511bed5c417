import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Language } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey } from '../support/browser/journey.ts';

let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

test.each<Language>(['zh', 'en'])('[case 7] [WB-APPLY-004-AC2] a save that a revert replaced is named with its time, can be looked at, and comes back byte for byte (%s)', async (language) => {
  j = await Journey.open(browser, { language });
  const path = join(j.work, 'notes.md');
  writeFileSync(path, 'TODO one\n');
  await j.partner('Maple');
  await j.ask('Maple', language === 'zh' ? '把 notes.md 里的 TODO 换成 DONE' : 'replace TODO with DONE in notes.md');
  await j.approve();
  await j.files.waitFor();
  appendFileSync(path, 'a line of mine\n');
  const mine = readFileSync(path, 'utf8');
  await j.files.getByRole('button', { name: j.t('files.revertNamed', { name: 'notes.md' }), exact: true }).click();
  const question = j.page.getByRole('alertdialog');
  await question.getByRole('button', { name: j.t('revert.do') }).click();
  await question.getByRole('button', { name: j.t('revert.anyway') }).click();
  const kept = j.files.getByRole('group', { name: j.t('kept.label', { name: 'notes.md' }) });
  await kept.waitFor();
  expect(readFileSync(path, 'utf8')).toBe('TODO one\n');
  expect(await kept.innerText()).toMatch(/\d{1,2}:\d{2}/);

  await kept.getByText(j.t('kept.open'), { exact: true }).click();
  await j.panel.getByText('a line of mine').waitFor();
  await j.shots('kept');
  await j.panel.getByText(j.t('kept.close')).click();
  await j.panel.getByText(j.t('kept.sides')).waitFor({ state: 'hidden' });

  await j.panel.getByText(j.t('kept.restore'), { exact: true }).click();
  await question.getByText(j.t('kept.body', { name: 'notes.md' })).waitFor();
  await j.shots('kept-question');
  await question.getByRole('button', { name: j.t('kept.restore') }).click();
  await kept.waitFor({ state: 'hidden' });
  expect(readFileSync(path, 'utf8')).toBe(mine);
  // Nothing was used up: the change can be taken back again.
  await j.files.getByRole('button', { name: j.t('files.revertNamed', { name: 'notes.md' }), exact: true }).waitFor();
});
