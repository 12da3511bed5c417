import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/browser/chromium.ts';
import { Journey } from '../support/browser/journey.ts';
import { writeLongHistory } from '../support/browser/long-history.ts';

const TURNS = 2000;
let browser: Browser;
let j: Journey;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(({ task }) => j.close(task.result?.state === 'fail' ? task.id : null));

interface Step {
  readonly first: number;
  readonly moved: number;
  readonly nodes: number;
}

test(`[WB-SESSION-010-AC4] in a conversation of ${TURNS} turns the page stays small from end to end, and what is being read stays where it is when older turns come`, async () => {
  j = await Journey.open(browser, { language: 'en', prepare: ({ home }) => writeLongHistory(home, 'Maple', TURNS) });
  await j.choose('Maple');
  const turn = (n: number) => j.page.getByRole('article').filter({ hasText: new RegExp(`Question ${n}(?!\\d)`) });
  await turn(TURNS).waitFor();
  const log = j.page.getByRole('log');
  // It opens at its end.
  expect(await log.evaluate((n) => n.scrollHeight - n.scrollTop - n.clientHeight)).toBeLessThan(30);

  /** Goes to near the top of what is loaded; waits until older turns are there; says how far the read turn moved by that. */
  const up = () =>
    log.evaluate(async (n): Promise<Step> => {
      const said = (a: Element) => Number(/Question (\d+)/.exec(a.textContent ?? '')?.[1]);
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const shown = () => [...n.querySelectorAll('article')].find((a) => a.getBoundingClientRect().bottom > n.getBoundingClientRect().top + 40);
      const height = n.scrollHeight;
      n.scrollTop = 500;
      await frame();
      await frame();
      const read = said(shown()!);
      const place = () => [...n.querySelectorAll('article')].find((a) => said(a) === read)?.getBoundingClientRect().top;
      // Settled before it is measured: what is above is measured by the list as it comes in.
      let before = place();
      for (let last = NaN; last !== before; before = place()) {
        last = before!;
        await frame();
      }
      if (read > 40) while (n.scrollHeight < height + 500) await frame();
      for (let i = 0; i < 4; i++) await frame();
      return { first: read, moved: Math.abs((place() ?? Infinity) - before!), nodes: document.querySelectorAll('*').length };
    });
  const steps: Step[] = [];
  for (let last = Infinity; ; ) {
    const step = await up();
    steps.push(step);
    if (step.first <= 40 || step.first >= last) break;
    last = step.first;
  }
  expect(steps.length).toBeGreaterThan(TURNS / 100);
  expect(Math.max(...steps.map((s) => s.nodes))).toBeLessThan(2000);
  expect(Math.max(...steps.map((s) => s.moved))).toBeLessThan(2);
  await log.evaluate((n) => (n.scrollTop = 0));
  await turn(1).waitFor();

  // And all the way down again, by leaps.
  const most = await log.evaluate(async (n) => {
    let nodes = 0;
    for (let top = 0; top < n.scrollHeight; top += n.scrollHeight / 150) {
      n.scrollTop = top;
      await new Promise((done) => requestAnimationFrame(done));
      nodes = Math.max(nodes, document.querySelectorAll('*').length);
    }
    return nodes;
  });
  expect(most).toBeLessThan(2000);
  await j.button(j.t('talk.latest')).click();
  await turn(TURNS).waitFor();
  await j.button(j.t('talk.latest')).waitFor({ state: 'hidden' });
});
