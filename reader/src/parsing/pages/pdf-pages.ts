import { FilterType, Transformer } from '@napi-rs/image';
import { PDFiumLibrary, type PDFiumDocument, type PDFiumPage } from '@hyzyla/pdfium';
import { ParseFailure } from '../parse-failure.js';
import { PageGlyphs } from '../pdf/page-glyphs.js';
import { startPdfium, type PdfiumModule } from '../pdf/pdfium-file.js';
import { storableText } from '../storable.js';
import { fingerprintOf } from './fingerprint.js';
import { boundedBy, type PageImage, type PageView } from './page-image.js';

/** Resolution of page images. Part of the API contract. */
const DOTS_PER_INCH = 150;
const POINTS_PER_INCH = 72;

/**
 * Renders the pages of a PDF, upright.
 *
 * @param skipped number of leading pages to skip
 * @throws ParseFailure if the file cannot be opened, or a page cannot be rendered.
 */
export async function* pagesOfPdf(bytes: Uint8Array, skipped: number): AsyncGenerator<PageImage, void> {
  const document = await openDocument(await PDFiumLibrary.init(), bytes);
  const pageCount = document.getPageCount();
  if (pageCount === 0) throw empty();
  for (let pageNumber = skipped + 1; pageNumber <= pageCount; pageNumber += 1) {
    const page = document.getPage(pageNumber - 1);
    const text = storableText(page.getText()); // read first, because rendering closes the page
    const { pixels, width, height } = await drawPage(page, pageNumber);
    const png = await pngOf(pixels, width, height);
    const fingerprint = await fingerprintOf(Transformer.fromRgbaPixels(pixels, width, height));
    yield { pageNumber, pageCount, width, height, png, text, fingerprint };
  }
}

/** PDFium, loaded once for all views of a process. */
let pdfium: Promise<PdfiumModule> | undefined;

/**
 * Renders one page of a PDF like {@link pagesOfPdf}, with the positions of its words.
 *
 * @param pageNumber 1-based
 * @returns null if there is no such page
 * @throws ParseFailure if the file cannot be opened, or the page cannot be rendered.
 */
export async function viewOfPdf(bytes: Uint8Array, pageNumber: number): Promise<PageView | null> {
  const module = await shared();
  const document = await openDocument(new PDFiumLibrary(module), bytes);
  const glyphs = await PageGlyphs.open(bytes, module);
  try {
    const pageCount = document.getPageCount();
    if (pageNumber < 1 || pageNumber > pageCount) return null;
    const { pixels, width, height } = await drawPage(document.getPage(pageNumber - 1), pageNumber);
    const png = await pngOf(pixels, width, height);
    return { pageNumber, pageCount, width, height, png, words: glyphs?.wordsOf(pageNumber) ?? [] };
  } finally {
    glyphs?.close();
    document.destroy();
  }
}

/** @throws ParseFailure if the file cannot be opened, or has no pages. */
export async function pageCountOf(bytes: Uint8Array): Promise<number> {
  const document = await openDocument(new PDFiumLibrary(await shared()), bytes);
  try {
    const pageCount = document.getPageCount();
    if (pageCount === 0) throw empty();
    return pageCount;
  } finally {
    document.destroy();
  }
}

/** Yields the words of each page, in order. @throws ParseFailure if the file cannot be opened. */
export async function* wordsOfPdf(bytes: Uint8Array): AsyncGenerator<string[], void> {
  const module = await shared();
  const document = await openDocument(new PDFiumLibrary(module), bytes);
  const pageCount = document.getPageCount();
  document.destroy();
  const glyphs = await PageGlyphs.open(bytes, module);
  try {
    for (let pageNumber = 1; pageNumber <= pageCount; pageNumber += 1) {
      yield glyphs?.wordsOf(pageNumber).map(({ text }) => text) ?? [];
    }
  } finally {
    glyphs?.close();
  }
}

function shared(): Promise<PdfiumModule> {
  pdfium ??= startPdfium();
  return pdfium;
}

function empty(): ParseFailure {
  return new ParseFailure('The PDF has no pages: save it again and upload that.');
}

function openDocument(opened: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  return opened.loadDocument(bytes).catch(refuse);
}

interface DrawnPage {
  /** RGBA. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

async function drawPage(page: PDFiumPage, pageNumber: number): Promise<DrawnPage> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (!(originalWidth > 0 && originalHeight > 0)) throw undrawable(pageNumber);
  const scale = DOTS_PER_INCH / POINTS_PER_INCH;
  const [full, tall] = [originalWidth * scale, originalHeight * scale];
  const bound = boundedBy(full, tall);
  const { data, width, height } = await page.render({
    // At least one pixel, even for extremely narrow pages.
    width: Math.max(1, Math.round(full * bound)),
    height: Math.max(1, Math.round(tall * bound)),
    renderFormFields: true,
    render: ({ data: pixels }) => Promise.resolve(pixels),
  });
  return { pixels: data, width, height };
}

function pngOf(pixels: Uint8Array, width: number, height: number): Promise<Uint8Array> {
  return Transformer.fromRgbaPixels(pixels, width, height).png({
    filterType: FilterType.Adaptive, // makes the smallest files for scans, and is not slower than other filters
  });
}

function undrawable(pageNumber: number): ParseFailure {
  return new ParseFailure(
    `Page ${pageNumber} of the PDF is damaged and cannot be rendered: open the PDF in a viewer, save it again and upload that.`,
  );
}

function refuse(cause: unknown): never {
  const locked = cause instanceof Error && /password|security/i.test(cause.message);
  const sentence = locked
    ? 'The PDF is protected by a password: remove the protection and upload it again.'
    : 'The PDF is damaged: open it in a viewer, save it again and upload that.';
  throw new ParseFailure(sentence, { cause });
}
