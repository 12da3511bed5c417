import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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

const segmentOf = (partner: string) => {
  const log = join(j.data, 'partners', partner, 'log');
  const [origin] = readdirSync(log);
  return join(log, origin!, '00000001.jsonl');
};

describe.each<Language>(['zh', 'en'])('[case 53] a damaged partner in %s', (language) => {
  test('[WB-SESSION-002-AC1] shows what is readable, says what is wrong, writes out the rest and is never removed; the others work on', async () => {
    j = await Journey.open(browser, { language });
    const hurt = await j.partner('Maple');
    for (const text of ['first words', 'second words', 'third words']) await j.ask('Maple', text);
    await j.button(j.t('composer.send')).waitFor();
    await j.partner('Juniper');
    await j.page.close();
    await j.host.stop();
    const path = segmentOf(hurt.id);
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('second words'));
    lines[at] = '{"h":"not json';
    writeFileSync(path, lines.join('\n'));
    const broken = readFileSync(path);
    await j.startHost();
    await j.openPage();

    await j.choose('Maple');
    await j.page.getByRole('article').getByText('first words').waitFor();
    const banner = j.page.getByRole('status').filter({ hasText: j.t('finding.damage') });
    await banner.waitFor();
    // One damage is said once.
    expect(await j.button(j.t('export.do')).count()).toBe(1);
    await j.shots('damaged');
    await banner.getByRole('button').click();
    const dialog = j.page.getByRole('dialog');
    await dialog.getByRole('button', { name: j.t('export.do') }).click();
    await dialog.getByText(j.t('export.gaps', { gaps: 1 })).waitFor();
    const events = lines.length - 2;
    await dialog.getByText(j.t('export.done', { events })).waitFor();
    await j.shots('exported');
    const written = readdirSync(join(j.data, 'exports'));
    expect(written.map((n) => n.replace(/.*\./, '')).sort()).toEqual(['md', 'ndjson']);
    const copy = readFileSync(join(j.data, 'exports', written.find((n) => n.endsWith('.md'))!), 'utf8');
    expect(copy).toContain('third words');
    expect(copy).not.toContain('second words');
    await dialog.getByLabel(j.t('export.folder')).fill(join(j.home, 'nowhere'));
    await dialog.getByRole('button', { name: j.t('export.do') }).click();
    await dialog.getByRole('alert').waitFor();
    await j.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await j.choose('Juniper');
    await j.ask('Juniper', language === 'zh' ? '列出文件' : 'list files');
    await j.page.getByRole('article').getByText(language === 'zh' ? '列出文件' : 'list files').waitFor();
    await j.button(j.t('composer.send')).waitFor();
    expect(readFileSync(path).equals(broken)).toBe(true);
  });
});

test('[case 53] a kept content that is gone is said where it is missing, and everything else goes on', async () => {
  j = await Journey.open(browser, { language: 'en' });
  writeFileSync(join(j.work, 'notes.md'), 'TODO\n');
  await j.partner('Maple');
  await j.ask('Maple', 'replace TODO with DONE in notes.md');
  await j.approve();
  await j.files.waitFor();
  const hash = createHash('sha256').update('TODO\n').digest('hex');
  rmSync(join(j.data, 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash));
  await j.files.getByRole('button', { name: /notes\.md/ }).first().click();
  await j.panel.getByRole('alert').waitFor();
  await j.shots('blob-missing');
  await j.button(j.t('sidebar.settings')).click();
  await j.page.getByRole('button', { name: j.t('settings.storage'), exact: true }).click();
  await j.button(j.t('settings.verifyDo')).click();
  await j.page.getByText(j.t('problem.verify.blobMissing')).first().waitFor();
  await j.shots('verify-bad');
  await j.button(j.t('export.do')).first().click();
  await j.page.getByRole('dialog').getByRole('button', { name: j.t('export.do') }).click();
  await j.page.getByRole('dialog').getByText(j.t('export.noGaps')).waitFor();
  await j.page.keyboard.press('Escape');
  await j.page.getByRole('dialog').waitFor({ state: 'hidden' });
  await j.button(j.t('settings.back')).click();
  await j.ask('Maple', 'list files');
  await j.page.getByRole('article').last().getByText(/notes\.md/).first().waitFor();
});
