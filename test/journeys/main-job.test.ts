import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { say, type Language, type WordKey } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { startWebHost, type WebHost } from '../support/browser/host.ts';

const SHOTS = join(import.meta.dirname, '../out/journey');
const WISH = { zh: '把 notes.md 里的 TODO 换成 DONE', en: 'replace TODO with DONE in notes.md' } as const;

let browser: Browser;
beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each<Language>(['zh', 'en'])('the main job in %s', (language) => {
  const t = (key: WordKey, params: Record<string, string | number> = {}) => say(language, key, params);
  let home: string;
  let work: string;
  let host: WebHost;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];

  async function openPage(known?: BrowserContext): Promise<void> {
    context = known ?? (await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: language === 'zh' ? 'zh-CN' : 'en-US', reducedMotion: 'reduce' }));
    page = await context.newPage();
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (cause) => problems.push(String(cause)));
    page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
    await page.goto(host.url);
  }
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'curator-journey-'));
    work = join(home, 'work');
    mkdirSync(join(work, 'docs'), { recursive: true });
    writeFileSync(join(work, 'notes.md'), '# Notes\r\n\r\nTODO: one\r\nkeep\r\nTODO: two\r\n');
    writeFileSync(join(work, 'docs', 'plan.md'), '# Plan\n\nThe budget is 12,000.\n');
    host = await startWebHost(join(home, 'data'), home, language);
    await openPage();
  });
  afterEach(async ({ task }) => {
    // What the person would have seen when it went wrong.
    if (task.result?.state === 'fail') await page.screenshot({ path: join(SHOTS, `failed-${task.id}.png`) });
    await context.close();
    await host.stop();
    rmSync(home, { recursive: true, force: true });
    expect(problems.splice(0)).toEqual([]);
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const composer = (name: string) => page.getByRole('textbox', { name: t('composer.placeholder', { name }) });
  const notes = () => readFileSync(join(work, 'notes.md'), 'utf8');

  async function createPartner(name: string): Promise<void> {
    await button(t('sidebar.create')).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(t('partner.name')).fill(name);
    await dialog.getByRole('button', { name: t('partner.createDo') }).click();
    await composer(name).waitFor();
  }
  async function addFolder(policy: WordKey): Promise<void> {
    await button(t('talk.addFolder')).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(t('folder.path')).fill(work);
    await dialog.getByRole('button', { name: t('folder.go') }).click();
    await dialog.getByText('docs', { exact: true }).waitFor();
    await dialog.getByText(t(policy), { exact: true }).click();
    await dialog.getByRole('button', { name: t('folder.use', { name: 'work' }) }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  async function ask(name: string, text: string): Promise<void> {
    // A message is sent when the run before has ended, as the button says.
    await button(t('composer.send')).waitFor();
    await composer(name).fill(text);
    await page.keyboard.press('Enter');
  }
  /** Both themes at both widths, the way it stands now. */
  async function shots(name: string): Promise<void> {
    for (const theme of ['light', 'dark'] as const) {
      for (const width of [1024, 1920]) {
        await page.setViewportSize({ width, height: width === 1024 ? 640 : 1080 });
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.screenshot({ path: join(SHOTS, `${name}-${language}-${theme}-${width}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  }

  test('[WB-SESSION-001-AC4] [WB-APPLY-004-AC1] [WB-APPLY-003-AC1] a change is asked for, approved, reviewed, taken back, and the taking back undone', async () => {
    await shots('first-start');
    await createPartner('小满 Maple');
    await addFolder('policy.confirm');
    await ask('小满 Maple', WISH[language]);

    const card = page.getByRole('region', { name: t('approval.label') });
    await card.waitFor();
    await card.getByText('DONE: one').waitFor();
    // Nothing touches the disk before the yes.
    expect(notes()).toContain('TODO: one');
    await shots('approval');
    await card.getByRole('button', { name: t('approval.approve') }).click();

    const files = page.getByRole('region', { name: t('files.title') });
    await files.waitFor();
    expect(notes()).toBe('# Notes\r\n\r\nDONE: one\r\nkeep\r\nDONE: two\r\n');
    expect(await files.innerText()).toMatch(/\+2/);
    await shots('done');

    await files.getByRole('button', { name: /notes\.md/ }).first().click();
    const panel = page.getByRole('complementary', { name: t('panel.label') });
    await panel.getByText('DONE: two').waitFor();
    await shots('diff');
    // What the README shows (scripts/screenshot.mjs).
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.screenshot({ path: join(SHOTS, `readme-${language}.png`) });
    await panel.getByRole('button', { name: t('files.revert'), exact: true }).click();
    await page.getByRole('alertdialog', { name: t('revert.title') }).getByRole('button', { name: t('revert.do') }).click();
    await panel.getByText(t('files.reverted')).waitFor();
    expect(notes()).toContain('TODO: one');
    await panel.getByRole('button', { name: t('files.undo') }).click();
    await panel.getByRole('button', { name: t('files.revert'), exact: true }).waitFor();
    expect(notes()).toContain('DONE: one');
  });

  test('[WB-APPLY-004-AC2] [case 7] a file changed since is detected; the second warning keeps those bytes too', async () => {
    await createPartner('Maple');
    await addFolder('policy.direct');
    await ask('Maple', WISH[language]);
    // The embedded assistant asks whatever the policy (C-01).
    await page.keyboard.press('Tab');
    await page.getByRole('region', { name: t('approval.label') }).getByRole('button', { name: t('approval.approve') }).press('Enter');
    const files = page.getByRole('region', { name: t('files.title') });
    await files.waitFor();
    appendFileSync(join(work, 'notes.md'), 'mine\r\n');
    const mine = notes();

    await files.getByRole('button', { name: t('files.revertNamed', { name: 'notes.md' }), exact: true }).click();
    await page.getByRole('alertdialog', { name: t('revert.title') }).getByRole('button', { name: t('revert.do') }).click();
    const again = page.getByRole('alertdialog', { name: t('revert.again') });
    await again.waitFor();
    expect(notes()).toBe(mine);
    await shots('conflict');
    await again.getByRole('button', { name: t('revert.anyway') }).click();
    await files.getByRole('button', { name: t('files.undoNamed', { name: 'notes.md' }), exact: true }).waitFor();
    expect(notes()).toContain('TODO: one');
    expect(notes()).not.toContain('mine');
    await files.getByRole('button', { name: t('files.undoNamed', { name: 'notes.md' }), exact: true }).click();
    await files.getByRole('button', { name: t('files.revertNamed', { name: 'notes.md' }), exact: true }).waitFor();
    expect(notes()).toBe(mine);
  });

  test('[WB-BLOCKER-001-AC2] [WB-BLOCKER-001-AC3] a rejected and a guided change touch nothing', async () => {
    await createPartner('Maple');
    await addFolder('policy.confirm');
    const before = notes();
    await ask('Maple', WISH[language]);
    const card = page.getByRole('region', { name: t('approval.label') });
    await card.getByRole('button', { name: t('approval.reject') }).click();
    await card.waitFor({ state: 'hidden' });
    expect(notes()).toBe(before);
    await ask('Maple', WISH[language]);
    await card.waitFor();
    await card.getByLabel(t('approval.guide', { name: 'Maple' })).fill(language === 'zh' ? '只改第一处' : 'only the first one');
    await page.keyboard.press('Enter');
    await card.waitFor({ state: 'hidden' });
    expect(notes()).toBe(before);
    expect(await page.getByRole('region', { name: t('files.title') }).count()).toBe(0);
  });

  test('[WB-SESSION-007-AC1] [I1] everything acknowledged is there after kill -9; the interrupted run is marked; the next message continues', async () => {
    await createPartner('Maple');
    await addFolder('policy.confirm');
    await ask('Maple', language === 'zh' ? '列出文件' : 'list files');
    await page.getByText('notes.md').first().waitFor();
    await ask('Maple', WISH[language]);
    const card = page.getByRole('region', { name: t('approval.label') });
    await card.waitFor();
    const port = host.port;
    await page.close();
    await host.kill();

    host = await startWebHost(join(home, 'data'), home, language, port);
    await openPage(context);
    await page.getByText(t('talk.interrupted')).waitFor();
    await page.getByText(WISH[language]).first().waitFor();
    // Nothing starts by itself, and an open question dies with its run (I11).
    const open = page.getByRole('region', { name: t('approval.label') });
    expect(await open.count()).toBe(0);
    expect(notes()).toContain('TODO: one');
    await shots('interrupted');
    await ask('Maple', WISH[language]);
    await open.getByRole('button', { name: t('approval.approve') }).click();
    await page.getByRole('region', { name: t('files.title') }).waitFor();
    expect(notes()).toContain('DONE: one');
  });

  test('the sample folder needs no key and no network', async () => {
    await button(t('empty.sample')).click();
    await composer(t('empty.samplePartner')).waitFor();
    await ask(t('empty.samplePartner'), language === 'zh' ? '搜索 预算' : 'search for budget');
    await page.getByText(/plan\.md/).first().waitFor();
    await ask(t('empty.samplePartner'), language === 'zh' ? '总结 docs/plan.md' : 'summarise docs/plan.md');
    await page.getByText('Plan for the spring fair').first().waitFor();
    await ask(t('empty.samplePartner'), language === 'zh' ? '新建 todo.md，内容是 买牛奶' : 'create a file called todo.md with text buy milk');
    await page.getByRole('region', { name: t('approval.label') }).getByRole('button', { name: t('approval.approve') }).click();
    await page.getByRole('region', { name: t('files.title') }).waitFor();
    await ask(t('empty.samplePartner'), language === 'zh' ? '撤销' : 'undo');
    await page.getByRole('region', { name: t('approval.label') }).getByRole('button', { name: t('approval.approve') }).click();
    await page.getByRole('region', { name: t('files.title') }).getByRole('button', { name: t('files.undoNamed', { name: 'todo.md' }), exact: true }).waitFor();
    await shots('sample');
  });
});
