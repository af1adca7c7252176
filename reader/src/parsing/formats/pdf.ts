import type { PDFPageProxy } from 'pdfjs-dist';
import { SECONDS_PER_PICTURE, TextRecognizer } from '../text-recognizer.js';
import { joinPages, type Parser, type Source } from '../parser.js';
import { formValuesOf, withValues } from '../pdf/form-values.js';
import { openPdf, pdfProperties } from '../pdf/open-pdf.js';
import { PageGlyphs } from '../pdf/page-glyphs.js';
import { PageImages } from '../pdf/page-images.js';
import { textOfPage, type TextRun } from '../pdf/page-text.js';
import { hasRightToLeft, isRightToLeft, logicalRuns, mirrored } from '../pdf/right-to-left.js';

interface PageFacts {
  readonly page_number: number;
  /** In points (1/72 inch). */
  readonly width: number;
  readonly height: number;
  /** Absent if the page has no text. */
  text_source?: 'text' | 'ocr';
}

/**
 * CPU time per page. Opening a page takes 1 ms, plus the time to find the page among its siblings in the page tree,
 * which is 10 ms with 20,000 siblings.
 */
const SECONDS_PER_PAGE = 0.02;

/** Reads a PDF page by page from its text layer. Pages without a text layer are read by OCR. */
export const parsePdf: Parser = async ({ bytes, allow, onProgress }) => {
  const pdf = await openPdf(bytes.slice()); // a copy: pdf.js detaches its input, and OCR needs the bytes later
  const texts: string[] = [];
  const facts: PageFacts[] = [];
  const rightToLeft = new RightToLeftPages(bytes);
  try {
    const hasFields = (await pdf.getFieldObjects()) !== null;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      allow(SECONDS_PER_PAGE);
      const page = await pdf.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const text = await pageText(page, hasFields, rightToLeft);
      texts.push(text);
      facts.push({
        page_number: number,
        width: Math.round(width),
        height: Math.round(height),
        ...(text === '' ? {} : { text_source: 'text' }),
      });
      page.cleanup();
      onProgress(number, pdf.numPages);
    }
    const properties = await pdfProperties(pdf);
    await recognizeMissing(bytes, texts, facts, { allow, onProgress });
    return {
      ...joinPages(texts),
      textType: 'text/plain',
      pageCount: texts.length,
      properties: { ...properties, pages: facts },
    };
  } finally {
    rightToLeft.close();
    await pdf.loadingTask.destroy();
  }
};

async function pageText(
  page: PDFPageProxy,
  hasFields: boolean,
  rightToLeft: RightToLeftPages,
): Promise<string> {
  const runs = await runsOf(page);
  const values = await formValuesOf(page, hasFields);
  if (!hasRightToLeft(runs)) return textOfPage(withValues(runs, values));
  const logical = await rightToLeft.runsOf(page.pageNumber, runs);
  return isRightToLeft(runs)
    ? textOfPage(withValues(mirrored(logical), mirrored(values)))
    : textOfPage(withValues(logical, values));
}

/**
 * Reads pages with right-to-left characters. Opens the file only for the first such page, because most files have no
 * such pages.
 */
class RightToLeftPages {
  private glyphs: PageGlyphs | null | undefined;

  constructor(private readonly bytes: Uint8Array) {}

  async runsOf(pageNumber: number, runs: readonly TextRun[]): Promise<readonly TextRun[]> {
    if (this.glyphs === undefined) this.glyphs = await PageGlyphs.open(this.bytes);
    const logical = logicalRuns(this.glyphs?.of(pageNumber) ?? [], runs);
    return logical.length === 0 ? runs : logical;
  }

  close(): void {
    this.glyphs?.close();
  }
}

async function recognizeMissing(
  bytes: Uint8Array,
  texts: string[],
  facts: readonly PageFacts[],
  { allow, onProgress }: Pick<Source, 'allow' | 'onProgress'>,
): Promise<void> {
  const missing = facts.filter(({ text_source: source }) => source === undefined);
  if (missing.length === 0) return;
  const images = await PageImages.open(bytes);
  const recognizer = new TextRecognizer();
  try {
    for (const [index, page] of missing.entries()) {
      allow(SECONDS_PER_PICTURE);
      const image = await images.draw(page.page_number);
      const text = image === null ? '' : await recognizer.textOf(image);
      texts[page.page_number - 1] = text;
      if (text !== '') page.text_source = 'ocr';
      onProgress(index + 1, missing.length);
    }
  } finally {
    await recognizer.close();
    images.close();
  }
}

async function runsOf(page: PDFPageProxy): Promise<TextRun[]> {
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
