/* global document, location, PointerEvent, requestAnimationFrame -- within the page */
import { chromium } from 'playwright-core';
import { findChromium, NO_CHROMIUM } from '../chromium.mjs';
import { readPages } from '../dataset.mjs';
import { ingestFiles } from '../ingest.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';

const FILES = Number(process.env.BENCH_FILES ?? 4);
const CITATIONS = Number(process.env.BENCH_CITATIONS ?? 40);
/** Number of words in a question. The words are from a passage of the page that the question asks about. */
const WORDS = 16;
const DEMO = { folder: 'demo/documents', files: ['observatory-annual-report-2025.pdf'] };

/** How long the pointer rests on every second citation before the click. */
const REST_MS = 500;

/** Measures the playground in Chromium. Every citation names a different page and is clicked twice. */
export const citation = {
  name: 'citation',
  about: 'ms from the click on a citation until the page of the PDF is on the screen',

  async run({ databaseUrl, say }) {
    const executablePath = findChromium();
    if (executablePath === undefined) return { skipped: NO_CHROMIUM };
    const { folder, files } = readPages() ?? DEMO;
    const home = await openHome(databaseUrl);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const service = await home.start();
      const some = files.toSorted().slice(0, FILES);
      say(`ingesting ${some.length} files`);
      await ingestFiles(service, { folder, files: some });
      const chats = await chatsWithCitations(service);
      const page = await signedIn(browser, service);
      const first = [];
      const rested = [];
      const again = [];
      for (const [number, chat] of chats.entries()) {
        if (number % 10 === 0) say(`citation ${number + 1} of ${chats.length}`);
        await open(page, chat);
        if (number % 2 === 0) first.push(await timeClick(page));
        else rested.push(await timeClick(page, REST_MS));
        await page.keyboard.press('Escape');
        await page.locator('.source-pane').waitFor({ state: 'detached' });
        again.push(await timeClick(page));
      }
      const row = (label, times) => [label, percentile(times, 50), percentile(times, 95), Math.max(...times)];
      return {
        sizes: { files: some.length, citations: chats.length },
        columns: ['click', 'p50', 'p95', 'maximum'],
        rows: [
          row('first', first),
          row(`first, after ${REST_MS} ms under the pointer`, rested),
          row('again', again),
        ],
      };
    } finally {
      await browser.close();
      await home.close();
    }
  },
};

/** Asks about passages of different pages. @returns the ids of the chats with an answer that cites a page */
async function chatsWithCitations(service) {
  const passages = await service.call('/retrieve/chunks', { query: 'What happened in the year?', k: 400 });
  const pages = new Map();
  for (const { document_id: id, content, metadata } of passages) {
    pages.set(`${id} ${metadata.page_number}`, content.split(/\s+/).slice(0, WORDS).join(' '));
  }
  const chats = [];
  for (const [number, query] of [...pages.values()].entries()) {
    if (chats.length === CITATIONS) break;
    const chat = `citation-${number}`;
    const { metadata } = await service.call('/query', { query, chat_id: chat, inline_citations: true });
    if (metadata.citations?.[0]?.page_number != null) chats.push(chat);
  }
  return chats;
}

async function signedIn(browser, service) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(service.base);
  await page.getByLabel('API key').fill(service.key);
  await page.keyboard.press('Enter');
  await page.getByLabel('Your question').waitFor();
  return page;
}

async function open(page, chat) {
  await page.evaluate((id) => {
    location.hash = `#/ask/${id}`;
  }, chat);
  await page.locator('.source-pane').waitFor({ state: 'detached' });
  await page.locator(`.answer .chip[href*="${chat}"]`).first().waitFor();
}

/**
 * Clicks the citation and measures the time until the page image is shown: until the frame after the frame in which the
 * image is decoded.
 *
 * @param rest time in milliseconds for which the pointer rests on the citation before the click; 0: no pointer event
 */
function timeClick(page, rest = 0) {
  return page.evaluate(async (pause) => {
    const chip = document.querySelector('.answer .chip');
    if (pause > 0) {
      chip.dispatchEvent(new PointerEvent('pointerenter'));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return new Promise((resolve) => {
      const begun = performance.now();
      const look = () => {
        const image = document.querySelector('.page-sheet img');
        if (image === null || !image.complete) return requestAnimationFrame(look);
        image.decode().then(() => requestAnimationFrame(() => resolve(performance.now() - begun)));
      };
      chip.click();
      look();
    });
  }, rest);
}
