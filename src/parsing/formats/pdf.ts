import { joinPages } from '../pages.js';
import { ParseFailure } from '../parse-failure.js';
import type { Parser } from '../parser.js';
import { openPdf, type Pdf } from '../pdf/open-pdf.js';
import { textOfPage, type TextRun } from '../pdf/page-text.js';

/** A PDF page by page, from its text layer. */
export const parsePdf: Parser = async ({ bytes, onProgress }) => {
  const pdf = await openPdf(bytes);
  try {
    const texts: string[] = [];
    const facts: object[] = [];
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      texts.push(textOfPage(await runsOf(page)));
      facts.push({ page_number: number, width: Math.round(width), height: Math.round(height) });
      page.cleanup();
      onProgress(number, pdf.numPages);
    }
    if (texts.every((text) => text === '')) {
      throw new ParseFailure(
        'No text was found in the PDF: run text recognition over it and upload the result.',
      );
    }
    const properties = { ...(await propertiesOf(pdf)), pages: facts };
    return { ...joinPages(texts), textType: 'text/plain', pageCount: pdf.numPages, properties };
  } finally {
    await pdf.loadingTask.destroy();
  }
};

type Page = Awaited<ReturnType<Pdf['getPage']>>;

async function runsOf(page: Page): Promise<TextRun[]> {
  const { items } = await page.getTextContent();
  const runs: TextRun[] = [];
  for (const item of items) {
    if (!('str' in item)) continue;
    const [, , c, d, x, y] = (item.transform as number[]).map(Number);
    runs.push({
      str: item.str,
      x: x ?? 0,
      y: y ?? 0,
      width: item.width,
      size: Math.hypot(c ?? 0, d ?? 0) || item.height,
    });
  }
  return runs;
}

/** What the file says of itself; an entry of another type than text is no property. */
async function propertiesOf(pdf: Pdf): Promise<Record<string, unknown>> {
  const { info } = await pdf.getMetadata();
  const entries = info as Record<string, unknown>;
  const text = (name: string): string | undefined => {
    const value = entries[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    title: text('Title'),
    author: text('Author'),
    subject: text('Subject'),
    keywords: text('Keywords'),
    language: text('Language'),
    producer: text('Producer'),
    created_at: isoDate(text('CreationDate')),
    modified_at: isoDate(text('ModDate')),
  };
}

/** `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-2, 7.9.4) as ISO 8601; undefined when it is not such a date. */
function isoDate(date: string | undefined): string | undefined {
  const parts = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?/.exec(date ?? '');
  if (parts === null) return undefined;
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour,
    zoneMinute,
  ] = parts;
  const zone = sign === undefined ? 'Z' : `${sign}${zoneHour ?? '00'}:${zoneMinute ?? '00'}`;
  const parsed = new Date(`${year ?? ''}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(parsed.getTime()) ? undefined : parsed.toISOString();
}
