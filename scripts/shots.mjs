// Pictures of every screen and state with scripted data, into test/out/shots/. For looking, not for judging by machine.
// Usage: npx tsx scripts/shots.mjs [part of a name …]; needs a build of app/ in dist/app.
import { mkdirSync } from 'node:fs';
import { fakeBackend } from '../test/support/app/backend.ts';
import { launchChromium } from '../test/support/browser/chromium.ts';

const out = new URL('../test/out/shots/', import.meta.url).pathname;
mkdirSync(out, { recursive: true });
const only = process.argv.slice(2);
const pick = (name) => (page) => page.evaluate((n) => [...document.querySelectorAll('.partner > .open')][n]?.click(), name);
const wait = (ms) => (page) => page.waitForTimeout(ms);
const click = (selector, nth = 0) => (page) => page.locator(selector).nth(nth).click();
const screens = {
  conversation: [pick(1)],
  failed: [pick(0)],
  approval: [pick(2)],
  'approval-strong': [pick(2), click('.appr .pager button', 1), click('.appr .yes')],
  running: [pick(3)],
  stopped: [pick(4)],
  'new-partner': [pick(5)],
  'long-names': [pick(6)],
  damaged: [pick(7)],
  thousands: [pick(8)],
  panel: [pick(1), (p) => p.locator('.files .fr .open').last().click(), wait(300)],
  revert: [pick(1), (p) => p.locator('.files .fr').last().hover(), (p) => p.locator('.files .fr .ib').last().click()],
  'revert-again': [pick(1), (p) => p.locator('.files .fr').last().hover(), (p) => p.locator('.files .fr .ib').last().click(), click('.dlg .btn.danger'), wait(200)],
  create: [pick(1), click('.side-top .side-item')],
  folder: [pick(5), click('.under .btn'), wait(200)],
  risk: [pick(1), click('.tools .menuw > button'), click('.menu .mi', 1)],
  model: [pick(1), click('.tools .menuw > button', 1)],
  'settings-general': [click('.side-foot .ib')],
  'settings-addresses': [click('.side-foot .ib'), click('.set nav button', 1)],
  'settings-models': [click('.side-foot .ib'), click('.set nav button', 2)],
  'settings-service': [click('.side-foot .ib'), click('.set nav button', 2), click('.sh .btn'), click('.presets button'), click('.df .btn'), wait(200)],
  'settings-storage': [click('.side-foot .ib'), click('.set nav button', 3), click('.card .btn', 1), wait(200)],
  shortcuts: [click('.side-foot .ib', 1)],
  link: [pick(1), (p) => p.locator('.lk[data-open^=http]').first().click()],
  toast: [pick(1), (p) => p.locator('.lk[data-open^="/"]').first().click(), wait(200)],
  activity: [pick(1), (p) => p.locator('.act > .h').first().click(), (p) => p.locator('.scroll').evaluate((n) => (n.scrollTop = 0)), wait(200)],
};
const browser = await launchChromium();
for (const lang of ['zh', 'en']) {
  for (const theme of ['light', 'dark']) {
    const variants = [...Object.entries(screens).map(([name, steps]) => ({ name, steps, scene: 'rich' })), { name: 'empty', steps: [], scene: 'first' }, { name: 'upgrade', steps: [], scene: 'newer' }, { name: 'no-key', steps: [], scene: 'noKey' }, { name: 'offline', steps: [pick(1), wait(200), (_, b) => b.close(), wait(2600)], scene: 'rich' }];
    for (const size of [[1024, 640], [1920, 1080]]) {
      for (const v of variants) {
        const name = `${v.name}-${theme}-${lang}-${size[0]}`;
        if (only.length > 0 && !only.every((o) => name.includes(o))) continue;
        const backend = await fakeBackend(new URL('../dist/app', import.meta.url).pathname, { lang, theme, scene: v.scene === 'noKey' ? 'first' : v.scene });
        const page = await browser.newPage({ viewport: { width: size[0], height: size[1] }, colorScheme: theme, locale: lang === 'zh' ? 'zh-CN' : 'en-GB', reducedMotion: 'reduce' });
        page.on('console', (m) => m.type() === 'error' && console.log(name, m.text()));
        page.on('pageerror', (e) => console.log(name, String(e)));
        await page.goto(v.scene === 'noKey' ? backend.url.split('#')[0] : backend.url);
        await page.waitForTimeout(350);
        try {
          for (const step of v.steps) { await step(page, backend); await page.waitForTimeout(120); }
        } catch (cause) { console.log(name, String(cause).split('\n')[0]); }
        await page.waitForTimeout(350);
        await page.screenshot({ path: `${out}${name}.png` });
        const clipped = await page.evaluate(() => [...document.querySelectorAll('button,h1,h2,label')].filter((n) => n.clientWidth > 0 && n.scrollWidth > n.clientWidth + 2 && getComputedStyle(n).overflow === 'visible' && !n.querySelector('.clip')).map((n) => n.className + '|' + n.textContent.slice(0, 30)).slice(0, 4));
        if (clipped.length) console.log(name, 'overflows:', clipped);
        await page.close();
        backend.close();
      }
    }
  }
}
await browser.close();
