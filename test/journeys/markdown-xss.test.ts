import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CSP } from '../support/app/backend.ts';
import { launchChromium } from '../support/browser/chromium.ts';

/**
 * The Markdown corpus in a real Chromium: whole, in pieces of 1, 3 and 7 characters, as the real component
 * with everything hovered, focused and clicked; with the page's policy and without it (the policy is the
 * second wall, not the first).
 */
interface Case {
  readonly id: string;
  readonly family: string;
  readonly markdown: string;
  readonly pieces?: readonly string[];
  readonly why: string;
  readonly expect: { readonly forbid?: readonly string[]; readonly mustRender?: readonly string[]; readonly maxMs?: number; readonly onClick?: string };
}
const expand = (v: unknown): unknown =>
  Array.isArray(v) ? v.map(expand)
  : v && typeof v === 'object'
    ? '$cat' in v ? (v.$cat as unknown[]).map((p) => (typeof p === 'string' ? p : ((p as { $rep: [string, number] }).$rep[0] ?? '').repeat((p as { $rep: [string, number] }).$rep[1]))).join('')
    : Object.fromEntries(Object.entries(v).map(([k, x]) => [k, expand(x)]))
  : v;
const corpus = JSON.parse(readFileSync(new URL('../../fixtures/corpora/markdown-xss.json', import.meta.url), 'utf8')) as { cases: unknown[] };
const ALWAYS = ['script', 'iframe', 'object', 'embed', 'base', 'meta', 'link', 'form', 'style', '[style]', 'svg', 'math', 'video', 'audio', '[srcset]', '[href]', '[background]', '[ping]', '[poster]'];

let root: string;
let server: Server;
let origin: string;
let browser: Browser;
const contexts: BrowserContext[] = [];
const pages: { readonly name: string; readonly page: Page; readonly requests: string[] }[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'curator-md-'));
  const from = fileURLToPath(new URL('../support/app', import.meta.url));
  await build({ root: from, configFile: false, logLevel: 'error', plugins: [svelte()], build: { outDir: root, emptyOutDir: true, modulePreload: { polyfill: false }, rollupOptions: { input: join(from, 'markdown-page.html') } } });
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const type = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }[extname(url.pathname)] ?? 'text/plain';
    void readFile(join(root, url.pathname)).then((bytes) => response.writeHead(200, { 'content-type': type, ...(url.searchParams.has('open') ? {} : { 'content-security-policy': CSP }) }).end(bytes), () => response.writeHead(404).end());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  browser = await launchChromium();
  for (const [name, query] of [['policy', ''], ['no policy', '?open']] as const) {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    const requests: string[] = [];
    await page.goto(`${origin}/markdown-page.html${query}`);
    await page.waitForFunction(() => 'probe' in window);
    // From here on nothing may leave: every request is counted and none is let through.
    await context.route('**/*', (route) => (requests.push(route.request().url()), route.abort()));
    context.on('page', (opened) => requests.push(`window ${opened.url()}`));
    pages.push({ name, page, requests });
  }
}, 120_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
  if (root) await rm(root, { recursive: true, force: true });
});

/** What must hold at any moment, whatever the text. */
async function stateOf(page: Page, forbid: readonly string[]): Promise<string[]> {
  return page.evaluate((selectors) => {
    const root = document.getElementById('app');
    const found = selectors.filter((s) => s !== '[on*]' && root?.querySelector(s));
    for (const node of root?.querySelectorAll('*') ?? []) for (const a of node.attributes) if (/^on/i.test(a.name)) found.push(`[${a.name}]`);
    for (const image of root?.querySelectorAll('img') ?? []) if (!/^data:image\/(png|jpe?g|gif|webp|bmp);base64,/i.test(image.getAttribute('src') ?? '')) found.push('img with an address');
    if (window.__x !== undefined) found.push('a script ran');
    return found;
  }, [...forbid]);
}

async function pokeAll(page: Page): Promise<void> {
  const nodes = await page.locator('#app *').all();
  // Long cases make thousands of equal nodes; the first hundred are as good as all.
  for (const node of nodes.slice(0, 100)) {
    await node.hover({ force: true, timeout: 300 }).catch(() => undefined);
    await node.focus({ timeout: 300 }).catch(() => undefined);
    await node.dispatchEvent('click', {}, { timeout: 300 }).catch(() => undefined);
    await node.dispatchEvent('auxclick', { button: 1 }, { timeout: 300 }).catch(() => undefined);
  }
  await page.keyboard.press('Enter');
}

describe('Markdown corpus', () => {
  for (const c of corpus.cases.map(expand) as Case[]) {
    test(`[case 85] [WB-COMPOSER-003-AC4] ${c.id} ${c.family}: ${c.why}`, { timeout: 60_000 }, async () => {
      const forbid = [...ALWAYS, ...(c.expect.forbid ?? [])];
      for (const { name, page, requests } of pages) {
        requests.length = 0;
        // Whole.
        const ms = await page.evaluate((text) => (window.probe.reset(), window.probe.update(text, true)), c.markdown);
        expect(await stateOf(page, forbid), `${name}, whole`).toEqual([]);
        if (c.expect.maxMs) expect(ms, `${name}, time`).toBeLessThan(c.expect.maxMs);
        for (const selector of c.expect.mustRender ?? []) expect(await page.locator(`#app ${selector.split(',').join(', #app ')}`).count(), `${name}, ${selector}`).toBeGreaterThan(0);
        const whole = await page.evaluate(() => window.probe.html());
        // In pieces; the end must look as if it had come whole. Endless lines only in coarse pieces: the pieces are the same, and a day is short.
        for (const size of c.markdown.length > 3000 ? [Math.ceil(c.markdown.length / 300)] : [1, 3, 7]) {
          const { max } = await page.evaluate(([text, n]) => (window.probe.reset(), window.probe.pieces(text, n)), [c.markdown, size] as const);
          expect(await stateOf(page, forbid), `${name}, pieces of ${size}`).toEqual([]);
          expect(await page.evaluate(() => window.probe.html()), `${name}, pieces of ${size} end alike`).toBe(whole);
          if (c.expect.maxMs) expect(max).toBeLessThan(c.expect.maxMs);
        }
        // Every prefix as a state of its own.
        if (c.markdown.length <= 400) {
          for (let n = 1; n <= c.markdown.length; n++) {
            await page.evaluate((text) => (window.probe.reset(), window.probe.update(text, false)), c.markdown.slice(0, n));
            if (n % 5 === 0 || c.family === 'streaming') expect(await stateOf(page, ALWAYS), `${name}, prefix ${n}`).toEqual([]);
          }
        }
        // The real component, with everything touched.
        await page.evaluate((text) => window.probe.surface(text), c.markdown);
        await pokeAll(page);
        expect(await stateOf(page, forbid), `${name}, touched`).toEqual([]);
        expect(requests, `${name}, requests`).toEqual([]);
        expect(page.url()).toContain('/markdown-page.html');
      }
    });
  }

  // What the person feels: an answer that grows, also when it is already very long.
  for (const [name, text] of [
    ['many blocks', Array.from({ length: 1500 }, (_, i) => (i % 7 === 0 ? `## Part ${i}` : i % 5 === 0 ? '| a | b |\n|---|--:|\n| 1 | 2 |' : `Some **words** and \`code\` about [item ${i}](https://example.com/${i}), ${'word '.repeat(20)}`)).join('\n\n')],
    ['one long code block', '```ts\n' + 'const answer = 42; // and so on\n'.repeat(6000) + '```\n'],
  ] as const) {
    test(`[WB-COMPOSER-014-AC1] a piece costs little whatever the length: ${name}`, { timeout: 120_000 }, async () => {
      const page = pages[0]?.page;
      if (!page) throw new Error('no page');
      const { p95 } = await page.evaluate((t) => (window.probe.reset(), window.probe.pieces(t, 48)), text);
      expect(p95).toBeLessThan(8);
    });
  }
});
