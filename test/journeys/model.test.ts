import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { say, type Language, type WordKey } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { startWebHost, type WebHost } from '../support/browser/host.ts';
import { startFakeOpenAI } from '../support/fake-openai/server.ts';

const KEY = 'sk-canary-journey-4711';
const SHOTS = join(import.meta.dirname, '../out/journey');
let browser: Browser;
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each<Language>(['zh', 'en'])('a real model over HTTP in %s', (language) => {
  const t = (key: WordKey, params: Record<string, string | number> = {}) => say(language, key, params);
  let home: string;
  let host: WebHost;
  let context: BrowserContext;
  let page: Page;
  let fake: Awaited<ReturnType<typeof startFakeOpenAI>>;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'curator-model-'));
    mkdirSync(join(home, 'work'));
    writeFileSync(join(home, 'work', 'notes.md'), 'TODO one\n');
    host = await startWebHost(join(home, 'data'), home, language);
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: language === 'zh' ? 'zh-CN' : 'en-US', reducedMotion: 'reduce' });
    page = await context.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(host.url);
  });
  afterEach(async ({ task }) => {
    // What the person would have seen when it went wrong.
    if (task.result?.state === 'fail') await page.screenshot({ path: join(SHOTS, `failed-${task.id}.png`) });
    await context.close();
    await host.stop();
    await fake.close();
    rmSync(home, { recursive: true, force: true });
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const composer = () => page.getByRole('textbox', { name: t('composer.placeholder', { name: 'Maple' }) });

  async function setUp(turns: Parameters<typeof startFakeOpenAI>[0]): Promise<void> {
    fake = await startFakeOpenAI(turns);
    await button(t('sidebar.create')).first().click();
    await page.getByRole('dialog').getByLabel(t('partner.name')).fill('Maple');
    await page.getByRole('dialog').getByRole('button', { name: t('partner.createDo') }).click();
    await button(t('talk.addFolder')).click();
    const folder = page.getByRole('dialog');
    await folder.getByLabel(t('folder.path')).fill(join(home, 'work'));
    await folder.getByRole('button', { name: t('folder.go') }).click();
    await folder.getByText(t('policy.confirm'), { exact: true }).click();
    await folder.getByRole('button', { name: t('folder.use', { name: 'work' }) }).click();
    await folder.waitFor({ state: 'hidden' });

    await button(t('sidebar.settings')).click();
    await page.getByText(t('settings.models'), { exact: true }).first().click();
    await button(t('settings.addService')).click();
    const dialog = page.getByRole('dialog', { name: t('service.add') });
    await dialog.getByLabel(t('service.name'), { exact: true }).fill('Fake');
    await dialog.getByLabel(t('service.url')).fill(fake.baseURL);
    await dialog.getByLabel(t('service.key'), { exact: true }).fill(KEY);
    await dialog.getByLabel(t('service.models')).fill('fake-1');
    await page.screenshot({ path: join(SHOTS, `service-${language}.png`) });
    await dialog.getByRole('button', { name: t('common.add'), exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Maple').first().click();
    await page.getByRole('button', { name: new RegExp(`^${t('model.label')}: `) }).click();
    await page.getByRole('menuitemradio', { name: 'fake-1' }).click();
  }
  async function ask(text: string): Promise<void> {
    // A message is sent when the run before has ended, as the button says.
    await button(t('composer.send')).waitFor();
    await composer().fill(text);
    await page.keyboard.press('Enter');
  }

  test('[WB-COMPOSER-003-AC2] [WB-COMPOSER-015-AC1] [WB-BLOCKER-001-AC6] streams, retries, calls tools, waits for the yes, and answers; the key stays in the host', async () => {
    await setUp({
      models: ['fake-1'], apiKey: KEY,
      turns: [
        // The provider names a delay, so that the line stands long enough to be seen on any machine.
        { error: { status: 503, headers: { 'retry-after': '4' } } },
        { steps: [{ reasoning: 'hm' }, { text: 'I will read the notes first.', chunk: 4 }, { tool: { name: 'read_file', args: { path: 'notes.md' }, split: 3 } }] },
        { when: { role: 'tool' }, steps: [{ text: 'Now the edit.' }, { tool: { name: 'edit_file', args: { path: 'notes.md', edits: [{ oldText: 'TODO one', newText: 'DONE one' }] } } }] },
        { when: { role: 'tool' }, steps: [{ text: 'Changed **one** line.\n\n| a | b |\n|---|---|\n| 1 | 2 |', chunk: 5 }, { usage: { prompt_tokens: 90, completion_tokens: 12 } }] },
      ],
    });
    await ask('please mark it done');
    await page.getByText(t('talk.retrying', { attempt: 1, of: 5 })).waitFor();
    const card = page.getByRole('region', { name: t('approval.label') });
    await card.getByText('DONE one').waitFor();
    await page.getByText('I will read the notes first.').waitFor();
    expect(readFileSync(join(home, 'work', 'notes.md'), 'utf8')).toBe('TODO one\n');
    await page.screenshot({ path: join(SHOTS, `model-approval-${language}.png`) });
    await card.getByRole('button', { name: t('approval.approve') }).click();
    await page.getByRole('cell', { name: '2' }).waitFor();
    await page.getByRole('region', { name: t('files.title') }).waitFor();
    expect(readFileSync(join(home, 'work', 'notes.md'), 'utf8')).toBe('DONE one\n');
    await page.screenshot({ path: join(SHOTS, `model-done-${language}.png`) });
    expect(fake.problems()).toEqual([]);
    expect(fake.unused()).toEqual([]);

    // The key is nowhere but in the secret storage: not in the log, the diagnostics, the page or its storage.
    expect(await page.evaluate(() => document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(KEY);
    expect(execFileSync('sh', ['-c', 'grep -rlF -- "$1" "$2" || true', 'sh', KEY, join(home, 'data')], { encoding: 'utf8' })).toBe('');
  });

  test('[WB-COMPOSER-006-AC2] [WB-COMPOSER-006-AC6] stops before the first token and in the middle, at once', async () => {
    await setUp({ models: ['fake-1'], turns: [{ steps: [{ hang: true }] }, { steps: [{ text: 'half an answer' }, { hang: true }] }] });
    await ask('one');
    await page.getByText(t('talk.thinking')).waitFor();
    // The first turn must have been asked for, or the second message would be given it.
    await expect.poll(() => fake.requests.length, { timeout: 90_000 }).toBe(1);
    await button(t('composer.stop')).click();
    await page.getByText(t('talk.stopped')).waitFor();
    await button(t('composer.send')).waitFor();
    await ask('two');
    await page.getByText('half an answer').waitFor();
    await button(t('composer.stop')).click();
    await expect.poll(() => page.getByText(t('talk.stopped')).count(), { timeout: 90_000 }).toBe(2);
    await page.screenshot({ path: join(SHOTS, `model-stopped-${language}.png`) });
  });

  test('[WB-SESSION-007-AC8] a refused key says so in short, with the details behind', async () => {
    await setUp({ models: ['fake-1'], apiKey: 'another', turns: [] });
    await ask('hello');
    await page.getByText(t('talk.details')).click();
    await page.getByText(/401/).first().waitFor();
    expect(await page.locator('body').innerText()).not.toContain(KEY);
    await page.screenshot({ path: join(SHOTS, `model-failed-${language}.png`) });
  });
});
