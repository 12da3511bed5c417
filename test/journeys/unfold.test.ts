import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey } from '../support/browser/journey.ts';
import { startFakeOpenAI, type FakeOpenAI } from '../support/fake-openai/server.ts';

let browser: Browser;
let j: Journey;
let fake: FakeOpenAI;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(async ({ task }) => {
  await j.close(task.result?.state === 'fail' ? task.id : null);
  await fake.close();
});

test('[WB-COMPOSER-009-AC6] [WB-COMPOSER-009-AC10] [WB-COMPOSER-003-AC5] activities and long thoughts open and close, by mouse and by key; one line has nothing to open', async () => {
  const thought = 'I will look at both files first, and then decide which of them has to change. '.repeat(6);
  fake = await startFakeOpenAI({
    models: ['fake-1'],
    turns: [
      { steps: [{ text: thought }, { tools: [{ name: 'read_file', args: { path: 'a.md' } }, { name: 'read_file', args: { path: 'b.md' } }, { name: 'search_text', args: { query: 'budget' } }, { name: 'read_file', args: { path: 'gone.md' } }] }] },
      { when: { role: 'tool' }, steps: [{ text: 'Short.' }, { tool: { name: 'list_files', args: { path: '.' } } }] },
      { when: { role: 'tool' }, steps: [{ text: 'All read.' }] },
    ],
  });
  j = await Journey.open(browser, { language: 'en' });
  for (const name of ['a.md', 'b.md']) writeFileSync(join(j.work, name), 'budget\n');
  await j.model(fake.baseURL);
  await j.partner('Maple');
  await j.ask('Maple', 'read both');
  await j.page.getByText('All read.').waitFor();

  const activity = j.page.getByRole('article').getByRole('button', { name: /Read file/ });
  expect(await activity.getAttribute('aria-expanded')).toBe('false');
  expect(await activity.innerText()).toContain('Read file ×3');
  await activity.click();
  await j.page.getByText('Read file b.md').waitFor();
  // A failed step says why, in words.
  await j.page.getByRole('listitem').filter({ hasText: 'gone.md' }).locator('.why').waitFor();
  await j.page.getByRole('button', { name: j.t('talk.expand') }).click();
  await j.shots('unfolded');
  expect(await j.page.getByRole('button', { name: j.t('talk.expand') }).count()).toBe(0);
  const collapse = j.page.getByRole('button', { name: j.t('talk.collapse') });
  await collapse.focus();
  await j.page.keyboard.press('Enter');
  await j.page.getByRole('button', { name: j.t('talk.expand') }).waitFor();
  // Closing it by key leaves the keyboard on what opens it again.
  expect(await j.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(j.t('talk.expand'));
  await activity.press('Enter');
  await j.page.getByText('Read file b.md').waitFor({ state: 'hidden' });
  expect(fake.problems()).toEqual([]);
});

test('[WB-APPLY-002-AC4] folded stretches of a long diff open one by one and keep the place; ten thousand lines stay light', async () => {
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i + 1}`);
  fake = await startFakeOpenAI({
    models: ['fake-1'],
    turns: [
      { steps: [{ tool: { name: 'edit_file', args: { path: 'long.txt', edits: [{ oldText: 'line 50\n', newText: 'LINE fifty\n' }, { oldText: 'line 5000\n', newText: 'LINE five thousand\n' }] } } }] },
      { when: { role: 'tool' }, steps: [{ text: 'Done.' }] },
    ],
  });
  j = await Journey.open(browser, { language: 'zh' });
  writeFileSync(join(j.work, 'long.txt'), lines.join('\n') + '\n');
  await j.model(fake.baseURL);
  await j.partner('Maple', 'direct');
  await j.ask('Maple', 'change two lines');
  await j.page.getByText('Done.').waitFor();
  await j.files.getByRole('button', { name: /long\.txt/ }).first().click();
  await j.panel.getByText('LINE fifty').waitFor();
  const folds = () => j.panel.getByRole('button', { name: /未修改/ });
  expect(await folds().count()).toBe(3);
  await j.shots('folds');
  await j.panel.getByRole('button', { name: j.t('panel.openFold', { n: 46 }) }).click();
  await j.panel.getByText('line 1', { exact: true }).waitFor();
  // The keyboard is still in the diff after its button is gone.
  expect(await j.page.evaluate(() => document.activeElement?.closest('.panel') !== null)).toBe(true);
  const region = j.panel.getByRole('region', { name: j.t('panel.review') });
  await region.evaluate((n) => (n.scrollTop = n.scrollHeight));
  await j.panel.getByText('LINE five thousand').waitFor();
  const last = folds().last();
  await last.focus();
  await j.page.keyboard.press('Enter');
  await region.evaluate((n) => (n.scrollTop = n.scrollHeight));
  await j.panel.getByText('line 10000', { exact: true }).waitFor();
  expect(await j.page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2000);
});

test('[WB-COMPOSER-013-B1] [WB-COMPOSER-013-AC3] an image that the partner looks at reaches the model as it is, and is named on screen', async () => {
  fake = await startFakeOpenAI({
    models: ['fake-1'],
    turns: [
      { steps: [{ tool: { name: 'read_image', args: { path: 'chart.png' } } }] },
      { when: { anyMessageIncludes: 'image_url' }, steps: [{ text: 'It is all red.' }] },
    ],
  });
  j = await Journey.open(browser, { language: 'zh' });
  const png = redPng();
  writeFileSync(join(j.work, 'chart.png'), png);
  await j.model(fake.baseURL);
  await j.partner('Maple');
  await j.ask('Maple', 'what is on chart.png');
  await j.page.getByText('It is all red.').waitFor();
  await j.page.getByRole('button', { name: j.t('tool.readImage.short') }).click();
  await j.page.getByText(j.t('tool.readImage', { name: 'chart.png' })).waitFor();
  expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain(`data:image/png;base64,${png.toString('base64')}`);
  expect(fake.problems()).toEqual([]);
});

/** One red pixel. */
function redPng(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc(body), body.length + 4);
    return out;
  };
  const crc = (bytes: Buffer) => {
    let c = -1;
    for (const b of bytes) {
      c ^= b;
      for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
  };
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])), chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))), chunk('IEND', Buffer.alloc(0))]);
}
