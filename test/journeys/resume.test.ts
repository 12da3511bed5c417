import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Language } from '#domain/words/words.ts';
import { launchChromium } from '../support/browser/chromium.ts';
import { startCutProxy } from '../support/browser/cut-proxy.ts';
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

const answer = () => j.page.getByRole('article').last();
const textOf = async () => (await answer().innerText()).replace(/\s+/g, ' ');

describe('a line that breaks off in the middle of a run', () => {
  test.each<Language>(['zh', 'en'])('[WB-COMPOSER-003-AC2] [WB-SESSION-007-AC1] says so, catches up by itself, and loses and doubles nothing (%s)', async (language) => {
    const line = await startCutProxy();
    fake = await startFakeOpenAI({
      models: ['fake-1'],
      turns: [
        { steps: [{ text: 'alpha ' }, { hold: 'cut' }, { text: 'beta ' }, { hold: 'silent' }, { text: 'gamma ' }, { hold: 'end' }, { text: 'omega' }] },
        { steps: [{ text: 'second answer' }] },
      ],
    });
    try {
      j = await Journey.open(browser, { language, context: { proxy: line.proxy }, expectsCuts: true });
      await j.model(fake.baseURL);
      await j.partner('Maple');
      await j.ask('Maple', 'go');
      await j.page.getByText('alpha').waitFor();

      line.cut();
      const banner = j.page.getByText(j.t('offline.banner'));
      await banner.waitFor();
      // What is typed meanwhile is kept, and the button says why it does not go.
      await j.composer('Maple').fill('written while offline');
      await j.shots('reconnecting');
      fake.release('cut');
      // The page has tried and failed at least once.
      const tried = line.tried();
      await expect.poll(() => line.tried(), { timeout: 90_000 }).toBeGreaterThan(tried);
      line.mend();
      await j.button(j.t('offline.now')).click({ timeout: 2000 }).catch(() => undefined);
      await banner.waitFor({ state: 'hidden' });
      // What came while the line was cut is there although the model says nothing more just now.
      await expect.poll(textOf, { timeout: 90_000 }).toContain('alpha beta');
      fake.release('silent');
      await expect.poll(textOf, { timeout: 90_000 }).toContain('alpha beta gamma');

      // Cut again, and the run ends meanwhile.
      line.cut();
      await banner.waitFor();
      fake.release('end');
      await expect.poll(() => fake.requests[0]?.outcome, { timeout: 90_000 }).toBe('done');
      line.mend();
      await banner.waitFor({ state: 'hidden' });
      await j.button(j.t('composer.send')).waitFor();
      await expect.poll(textOf, { timeout: 90_000 }).toContain('alpha beta gamma omega');
      for (const word of ['alpha', 'beta', 'gamma', 'omega']) expect((await textOf()).split(word).length, word).toBe(2);
      expect(await j.page.getByRole('article').count()).toBe(1);
      expect(await j.composer('Maple').inputValue()).toBe('written while offline');
      await j.composer('Maple').press('Enter');
      await j.page.getByText('second answer').waitFor();
      expect(await j.page.getByRole('article').count()).toBe(2);
    } finally {
      await line.close();
    }
  });
});

describe('a host that ends in the middle of a streamed answer', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('[I1] [I11] %s: after the restart the turn says that it was broken off, what was acknowledged is there, and nothing starts by itself', async (signal) => {
    fake = await startFakeOpenAI({
      models: ['fake-1'],
      turns: [
        { steps: [{ text: 'I look first.' }, { tool: { name: 'list_files', args: { path: '.' } } }] },
        { when: { role: 'tool' }, steps: [{ text: 'half of the answer' }, { hang: true }] },
        { steps: [{ text: 'and whole again' }] },
      ],
    });
    j = await Journey.open(browser, { language: signal === 'SIGTERM' ? 'zh' : 'en', expectsCuts: true });
    await j.model(fake.baseURL);
    await j.partner('Maple');
    await j.ask('Maple', 'look around');
    await j.page.getByText('half of the answer').waitFor();
    if (signal === 'SIGTERM') await j.host.stop();
    else await j.host.kill();
    await j.page.getByText(j.t('offline.banner')).waitFor();
    // Nothing pretends to be finished while the host is gone.
    expect(await j.page.getByText(j.t('talk.interrupted')).count()).toBe(0);
    await j.page.close();

    await j.startHost();
    await j.openPage();
    await j.page.getByText(j.t('talk.interrupted')).waitFor();
    await answer().getByText('I look first.').waitFor();
    expect(await j.button(j.t('composer.send')).count()).toBe(1);
    expect(fake.requests.length).toBe(2);
    await j.shots(`ended-${signal}`);
    await j.ask('Maple', 'go on');
    await j.page.getByText('and whole again').waitFor();
    expect(await j.page.getByRole('article').count()).toBe(2);
    expect(fake.problems()).toEqual([]);
  });
});
