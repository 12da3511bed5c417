import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { startWebHost } from '../support/browser/host.ts';

test.each(['zh', 'en'] as const)('[WB-COMPOSER-012-AC4] a data folder of a newer version opens to a page that says so, and nothing is written (%s)', async (language) => {
  const home = mkdtempSync(join(tmpdir(), 'curator-newer-'));
  const data = join(home, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'format.json'), '{"format":99}');
  const host = await startWebHost(data, home, language);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ locale: language === 'zh' ? 'zh-CN' : 'en-US' });
    await page.goto(host.url);
    await page.getByRole('heading', { name: say(language, 'upgrade.title') }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).toContain('99');
    expect(text).toContain('1');
    // No way around it into the workbench.
    expect(await page.getByRole('textbox').count()).toBe(0);
    mkdirSync(join(import.meta.dirname, '../out/journey'), { recursive: true });
    await page.screenshot({ path: join(import.meta.dirname, '../out/journey', `newer-${language}.png`) });
    expect(readdirSync(data)).toEqual(['format.json']);
    expect(readFileSync(join(data, 'format.json'), 'utf8')).toBe('{"format":99}');
  } finally {
    await browser.close();
    await host.stop();
    rmSync(home, { recursive: true, force: true });
  }
});
