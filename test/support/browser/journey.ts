import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { say, type Language, type WordKey } from '#domain/words/words.ts';
import type { WorkbenchService } from '#main/api/service.ts';
import type { InputOf, OutputOf } from '#main/api/wire.ts';
import type { Result } from '#domain/result.ts';
import { startWebHost, type WebHost } from './host.ts';

/** Where pictures of a journey go. */
export const SHOTS = join(import.meta.dirname, '../../out/journey');
const LONG = Number(process.env['JOURNEY_MS'] ?? 90_000);

export interface JourneyOptions {
  readonly language: Language;
  readonly context?: BrowserContextOptions;
  /** The line or the host goes away on purpose: what the browser says about that is no problem. */
  readonly expectsCuts?: boolean;
  /** Before the host starts, on the folders. */
  readonly prepare?: (folders: { readonly home: string; readonly data: string; readonly work: string }) => void | Promise<void>;
}

/** A person at the real page of a real host process on folders of their own. What the page says wrong in its console fails the journey. */
export class Journey {
  readonly language: Language;
  readonly home: string;
  readonly data: string;
  readonly work: string;
  readonly #problems: string[] = [];
  readonly #browser: Browser;
  readonly #options: JourneyOptions;
  host!: WebHost;
  context!: BrowserContext;
  page!: Page;

  private constructor(browser: Browser, options: JourneyOptions) {
    this.#browser = browser;
    this.#options = options;
    this.language = options.language;
    this.home = mkdtempSync(join(tmpdir(), 'curator-journey-'));
    this.data = join(this.home, 'data');
    this.work = join(this.home, 'work');
    mkdirSync(this.work);
    mkdirSync(SHOTS, { recursive: true });
  }

  static async open(browser: Browser, options: JourneyOptions): Promise<Journey> {
    const journey = new Journey(browser, options);
    await options.prepare?.(journey);
    await journey.startHost();
    await journey.openPage();
    return journey;
  }

  /** Starts the host (again, on the same port) on the same folders. */
  async startHost(): Promise<void> {
    this.host = await startWebHost(this.data, this.home, this.language, (this.host as WebHost | undefined)?.port);
  }
  /** A page at a fresh launch address. */
  async openPage(): Promise<void> {
    const { context, expectsCuts } = this.#options;
    this.context = (this.context as BrowserContext | undefined) ?? (await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, locale: this.language === 'zh' ? 'zh-CN' : 'en-GB', reducedMotion: 'reduce', ...context }));
    this.page = await this.context.newPage();
    this.page.setDefaultTimeout(LONG);
    this.page.on('pageerror', (cause) => this.#problems.push(String(cause)));
    this.page.on('console', (m) => m.type() === 'error' && !(expectsCuts && /net::ERR_|WebSocket/.test(m.text())) && this.#problems.push(m.text()));
    await this.page.goto(this.host.url);
  }
  /** Ends everything; `failed` names the picture of what the person would have seen. */
  async close(failed: string | null): Promise<void> {
    if (failed) await this.page.screenshot({ path: join(SHOTS, `failed-${failed}.png`) }).catch(() => undefined);
    await this.context.close();
    await this.host.stop();
    rmSync(this.home, { recursive: true, force: true });
    expect(this.#problems).toEqual([]);
  }

  readonly t = (key: WordKey, params: Record<string, string | number> = {}): string => say(this.language, key, params);
  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }
  composer(name: string): Locator {
    return this.page.getByRole('textbox', { name: this.t('composer.placeholder', { name }) });
  }
  get card(): Locator {
    return this.page.getByRole('region', { name: this.t('approval.label') });
  }
  get files(): Locator {
    return this.page.getByRole('region', { name: this.t('files.title') });
  }
  get panel(): Locator {
    return this.page.getByRole('complementary', { name: this.t('panel.label') });
  }
  /** Sends a message once the run before has ended, as the button says. */
  async ask(name: string, text: string): Promise<void> {
    await this.button(this.t('composer.send')).waitFor();
    const box = this.composer(name);
    await box.fill(text);
    await box.press('Enter');
    // Taken by the host: the box is free again.
    await expect.poll(() => box.inputValue(), { timeout: LONG }).toBe('');
  }
  async approve(): Promise<void> {
    await this.card.getByRole('button', { name: this.t('approval.approve') }).click();
  }

  /** Sets the stage over the same HTTP that the page has; what a journey is about goes through the page. */
  async call<M extends keyof WorkbenchService>(method: M, input: InputOf<WorkbenchService[M]>): Promise<OutputOf<WorkbenchService[M]>> {
    const done = (await this.page.evaluate(
      async ([m, i]) => {
        const answer = await fetch('/api/call', { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${sessionStorage.getItem('curator.key')}` }, body: JSON.stringify({ method: m, input: i }) });
        return answer.json() as unknown;
      },
      [method, input] as const,
    )) as Result<OutputOf<WorkbenchService[M]>>;
    if (!done.ok) throw new Error(`${method}: ${done.error.code}`);
    return done.value;
  }
  /** A partner that is on screen, the work folder as address. */
  async partner(name: string, policy: 'confirm' | 'direct' = 'confirm'): Promise<OutputOf<WorkbenchService['partner.create']>> {
    if ((await this.call('app.view', {})).addresses.length === 0) await this.call('address.add', { path: this.work, policy });
    const made = await this.call('partner.create', { name, face: { shape: 'drop', colour: 'lake' } });
    await this.choose(name);
    return made;
  }
  async choose(name: string): Promise<void> {
    await this.page.getByRole('navigation', { name: this.t('sidebar.label') }).getByText(name, { exact: true }).click();
    await this.composer(name).waitFor();
  }
  /** A scripted service as everybody's model. */
  async model(baseUrl: string): Promise<void> {
    const added = await this.call('provider.add', { name: 'Fake', baseUrl, models: ['fake-1'], key: 'sk-journey' });
    await this.call('model.default', { model: { provider: added.id, model: 'fake-1' } });
  }

  /** Both themes at both widths, the way it stands now. */
  async shots(name: string): Promise<void> {
    for (const theme of ['light', 'dark'] as const) {
      for (const width of [1024, 1920]) {
        await this.page.setViewportSize({ width, height: width === 1024 ? 640 : 1080 });
        await this.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await this.page.screenshot({ path: join(SHOTS, `${name}-${this.language}-${theme}-${width}.png`) });
      }
    }
    await this.page.setViewportSize({ width: 1280, height: 800 });
    await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  }
}
