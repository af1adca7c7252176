import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.js';

export const SHOTS = 'reports/playground';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** Rules beyond them. */
const MORE_RULES = { 'label-content-name-mismatch': { enabled: true }, region: { enabled: true } };

const DESKTOP = { width: 1280, height: 800 };

/** Devices and colour schemes that the playground is tested with. */
export const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['desktop', { viewport: DESKTOP, colorScheme: 'light' }],
  ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
  ['dark', { viewport: DESKTOP, colorScheme: 'dark' }],
];

/** The looks of a spec that is the same on all. The gate leaves the last one to the nightly run. */
export const USUAL_LOOKS = process.env.LOOKS_SEEN === 'all' ? LOOKS : LOOKS.slice(0, 2);

/** The devices of a spec that asks the same on each. The gate has the named one, the nightly run both. */
export function devices(inGate: 'desktop' | 'phone'): typeof LOOKS {
  return LOOKS.slice(0, 2).filter(([name]) => process.env.LOOKS_SEEN === 'all' || name === inGate);
}

/** Tells a page that it is hidden, as behind another tab. */
export async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

/** Tells a page that it is shown again. */
export async function show(page: Page): Promise<void> {
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'hidden');
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

/** A browser on the playground, with everything it reported. */
export class Visit {
  /**
   * Problems that the browser reported: script errors, failed requests, violations of the content security
   * policy.
   */
  readonly complaints: string[] = [];
  /** Requests to other origins, and URLs that contain the key. */
  readonly foreign: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly look: string,
  ) {}

  static async start(url: string, key: string, [look, options]: (typeof LOOKS)[number]): Promise<Visit> {
    await mkdir(SHOTS, { recursive: true });
    const browser = await launchChromium();
    const context = await browser.newContext({ locale: 'en-GB', ...options, reducedMotion: 'reduce' });
    const visit = new Visit(browser, await context.newPage(), look);
    const { page } = visit;
    page.setDefaultTimeout(15_000);
    page.on('request', (request) => {
      const asked = request.url();
      if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) visit.foreign.push(asked);
      if (asked.includes(key)) visit.foreign.push('a URL with the key');
    });
    page.on('console', (message) => {
      if (message.type() === 'error') visit.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => {
      visit.complaints.push(String(error));
    });
    await page.goto(`${url}/#/documents`);
    return visit;
  }

  close(): Promise<void> {
    return this.browser.close();
  }

  /**
   * Takes a screenshot, and checks accessibility (axe) and horizontal overflow. It waits for tables that are read
   * again: until then their rows are dimmed, and whether they are depends on how fast the machine is.
   */
  async seen(name: string, { fullPage = true } = {}): Promise<void> {
    const { page } = this;
    await page.locator('table[aria-busy="true"]').waitFor({ state: 'detached' });
    await this.pictured(name, { fullPage });
    const { violations } = await new AxeBuilder({ page })
      .options({ runOnly: { type: 'tag', values: RULES }, rules: MORE_RULES })
      .analyze();
    expect(
      violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ html, failureSummary }) => [html, failureSummary]),
      ]),
    ).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([name, overflow]).toEqual([name, 0]);
  }

  async pictured(name: string, { fullPage = true } = {}): Promise<void> {
    await this.page.screenshot({ path: join(SHOTS, `${this.look}-${name}.png`), fullPage });
  }

  /** Expects that the browser contacted only the service and reported no problem. */
  expectCalm(): void {
    expect(this.foreign).toEqual([]);
    expect(this.complaints.splice(0)).toEqual([]);
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByLabel('API key').fill(key);
    await this.page.keyboard.press('Enter');
  }

  async open(view: string): Promise<void> {
    await this.linkTo(view).click();
    // Going back before the view is shown would leave the wrong entry in the history.
    await this.linkTo(view).and(this.page.locator('[aria-current="page"]')).waitFor();
  }

  linkTo(view: string): Locator {
    return this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view });
  }
}
