import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Language } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey } from '../support/browser/journey.ts';
import { World } from '../support/workbench/world.ts';

let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

const tree = (dir: string) => execFileSync('sh', ['-c', 'cd "$1" && find . -exec stat -c "%n %s %Y" {} + | sort && find . -type f -exec sha256sum {} + | sort', 'sh', dir], { encoding: 'utf8' });

test.each<Language>(['zh', 'en'])('[WB-COMPOSER-012-AC4] [case 53] a data folder of a newer version opens to a page that says so and takes out what is readable; nothing is written to it (%s)', async (language) => {
  let before = '';
  j = await Journey.open(browser, {
    language,
    async prepare({ home, data }) {
      const world = await World.open({ base: home });
      const talk = await world.partner('小满 Maple');
      await talk.ended(await talk.send('words of the past'));
      await world.workbench.close();
      writeFileSync(join(data, 'format.json'), '{"format":99}');
      before = tree(data);
    },
  });
  const { page, t } = j;
  await page.getByRole('heading', { name: t('upgrade.title') }).waitFor();
  const text = await page.locator('body').innerText();
  expect(text).toContain('99');
  expect(text).toContain('1');
  // No way around it into the workbench.
  expect(await page.getByRole('textbox').count()).toBe(0);
  await j.shots('newer');

  await page.getByText(t('export.do')).first().click();
  await j.button(t('export.do')).click();
  await page.getByText(t('export.noGaps')).waitFor();
  await j.shots('newer-exported');
  const into = join(j.home, 'Curator exports');
  const copy = readdirSync(into).find((n) => n.endsWith('.md'))!;
  expect(copy).toMatch(/^小满 Maple /u);
  expect(readFileSync(join(into, copy), 'utf8')).toContain('words of the past');
  expect(tree(j.data)).toBe(before);
});
