import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Language } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey, SHOTS } from '../support/browser/journey.ts';
import { spills } from '../support/browser/spills.ts';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';

let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

const LONG = 'a-very-long-name-without-any-space-'.repeat(5);
const TOOLS: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] = [
  { name: 'create_file', args: { path: 'new/第一份.md', content: '# 标题\n\n正文\n' } },
  { name: 'write_file', args: { path: 'notes.md', content: 'all new\n' } },
  { name: 'edit_file', args: { path: `${LONG}.md`, edits: [{ oldText: 'TODO', newText: 'DONE' }] } },
  { name: 'replace_all', args: { path: 'notes.md', oldText: 'TODO', newText: 'DONE' } },
  { name: 'copy_file', args: { path: 'notes.md', to: 'copy.md' } },
  { name: 'move_file', args: { path: 'notes.md', to: 'sub/notes.md' } },
  { name: 'rename_file', args: { path: 'notes.md', name: 'Notes 2.md' } },
  { name: 'create_folder', args: { path: 'a folder' } },
  { name: 'trash_file', args: { path: 'sub' } },
];

test.each<Language>(['zh', 'en'])('[WA-PLAN-02] [WB-BLOCKER-001-B1] a card of every kind says what happens to what, with nothing left out and nothing cut, from 640 px on (%s)', async (language) => {
  const fake = await startFakeOpenAI({ models: ['fake-1'], turns: [{ steps: [{ text: 'All of it.' }, { tools: [...TOOLS] }] }, { steps: [{ text: 'Stopped.' }] }] });
  try {
    j = await Journey.open(browser, { language });
    writeFileSync(join(j.work, 'notes.md'), 'TODO one\nkeep\n');
    writeFileSync(join(j.work, `${LONG}.md`), 'TODO\n');
    mkdirSync(join(j.work, 'sub'));
    writeFileSync(join(j.work, 'sub', 'x.md'), 'x\n');
    await j.model(fake.baseURL);
    await j.partner('Maple');
    await j.ask('Maple', 'do it all');
    await j.card.waitFor();
    const position = async () => j.card.getByRole('group').first().getAttribute('aria-label');
    const count = Number(/\d+\D+(\d+)/.exec((await position()) ?? '')?.[1]);
    expect(count).toBe(TOOLS.length);
    for (let at = 1; at <= count; at++) {
      const said = await j.card.innerText();
      // A hole in a sentence, or a name of ours.
      expect(said).not.toMatch(/…|_file|undefined|\{|null/);
      // Where it happens is never cut short: that is what is agreed to.
      expect(await j.card.locator('dd').evaluateAll((all) => all.filter((n) => n.scrollWidth > n.clientWidth + 1 && !n.classList.contains('clip')).length)).toBe(0);
      await j.card.locator('.snip .diff, dl').first().waitFor();
      for (const [width, height] of [[640, 400], [1024, 640]] as const) {
        await j.page.setViewportSize({ width, height });
        expect(await spills(j.page), `card ${at} at ${width}`).toEqual([]);
        if ((width === 640) === (language === 'zh')) await j.page.screenshot({ path: join(SHOTS, `card-${at}-${language}-${width}.png`) });
      }
      await j.page.setViewportSize({ width: 1280, height: 800 });
      const before = await position();
      if (at < count) {
        await j.page.keyboard.press('Alt+]');
        await expect.poll(position, { timeout: 90_000 }).not.toBe(before);
      }
    }
  } finally {
    await fake.close();
  }
});

test('a service that answers garbage, or names too many models too long, is told from a good one and leaves the dialog whole and usable', async () => {
  const language = 'en';
  let body = '<html>'.repeat(20_000);
  let status = 200;
  const server = createServer((request, response) =>
    request.method === 'POST' ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}') : response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  try {
    j = await Journey.open(browser, { language });
    await j.button(j.t('sidebar.settings')).click();
    await j.page.getByRole('button', { name: j.t('settings.models'), exact: true }).click();
    await j.button(j.t('settings.addService')).click();
    const dialog = j.page.getByRole('dialog', { name: j.t('service.add') });
    await dialog.getByLabel(j.t('service.name'), { exact: true }).fill('Odd');
    await dialog.getByLabel(j.t('service.url')).fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    const answers: readonly [number, string, string][] = [
      [200, body, j.t('service.hop.odd')],
      [200, '{"data":"no list"}', j.t('service.hop.odd')],
      [500, JSON.stringify({ error: { message: 'x'.repeat(30_000) } }), j.t('service.hop.http', { status: 500 })],
      [200, JSON.stringify({ data: Array.from({ length: 3000 }, (_, i) => ({ id: `model-${i}-${'long'.repeat(40)}` })) }), j.t('service.good', { n: 500 })],
    ];
    for (const [n, [code, text, said]] of answers.entries()) {
      status = code;
      body = text;
      await dialog.getByRole('button', { name: j.t('service.test') }).click();
      await dialog.getByRole('button', { name: j.t('service.test'), exact: true }).waitFor();
      await dialog.getByRole('status').getByText(said).waitFor();
      for (const details of await dialog.locator('details').all()) await details.locator('summary').click();
      for (const [width, height] of [[640, 400], [1024, 640]] as const) {
        await j.page.setViewportSize({ width, height });
        expect(await spills(j.page), `answer ${n} at ${width}`).toEqual([]);
        // What ends the dialog is always in reach.
        expect(await dialog.getByRole('button', { name: j.t('common.cancel') }).evaluate((b) => b.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
        if (width === 1024) await j.page.screenshot({ path: join(SHOTS, `garbage-${n}-${width}.png`) });
      }
      expect(await j.page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(2000);
    }
    await j.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  } finally {
    server.close();
  }
});
