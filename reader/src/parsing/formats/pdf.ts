import { SECONDS_PER_PICTURE } from '../text-recognizer.js';
import { joinPages, type Parser, type Source } from '../parser.js';
import { attachmentsOf, type AttachedFile } from '../pdf/attachments.js';
import { openPdf, pdfProperties } from '../pdf/open-pdf.js';
import { partsOf, partsOfText, type PageParts } from '../pdf/page-edges.js';
import { joinLines } from '../pdf/page-text.js';
import { PageReader, type PageReading } from '../pdf/page-reader.js';
import { textsOfPages } from '../pdf/pdf-pages-text.js';
import { PdfiumFile } from '../pdf/pdfium-file.js';
import { RecognizedPages } from '../pdf/recognized-pages.js';

interface PageFacts {
  readonly page_number: number;
  /** In points (1/72 inch). */
  readonly width: number;
  readonly height: number;
  /** Absent if the page has no text. */
  text_source?: 'text' | 'ocr';
  /** Whether most of the text may be wrong. Absent: false. */
  is_doubtful?: true;
  /** Number of characters that a viewer does not show. Absent: 0. */
  readonly hidden_characters?: number;
}

type Unread = Pick<PageReading, 'lines' | 'bottom' | 'top' | 'recognition' | 'doubtfulFonts'> & {
  readonly index: number;
};

/**
 * CPU time per page. Opening a page takes 1 ms, plus the time to find the page among its siblings in the page tree,
 * which is 10 ms with 20,000 siblings.
 */
const SECONDS_PER_PAGE = 0.02;

/**
 * Reads a PDF page by page from its text layer. Pages without usable text, and pictures of pages with little text, are
 * read by OCR. Attached files follow the last page.
 */
export const parsePdf: Parser = async ({ bytes, allow, onProgress, parseInner }) => {
  const pdf = await openPdf(bytes.slice()); // a copy: pdf.js detaches its input
  const file = await PdfiumFile.open(bytes);
  const parts: PageParts[] = [];
  const facts: PageFacts[] = [];
  const unread: Unread[] = [];
  const files: AttachedFile[] = [];
  try {
    const reader = await PageReader.open(pdf, file);
    for (let number = 1; number <= pdf.numPages; number += 1) {
      allow(SECONDS_PER_PAGE);
      const page = await pdf.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      const { hiddenCharacters, attached, ...reading } = await reader.read(page);
      const { lines, bottom, top } = reading;
      files.push(...attached);
      if (reading.recognition !== 'none' || reading.doubtfulFonts !== undefined)
        unread.push({ index: parts.length, ...reading });
      parts.push(partsOf(lines, bottom, top));
      facts.push({
        page_number: number,
        width: Math.round(width),
        height: Math.round(height),
        ...(lines.length === 0 ? {} : { text_source: 'text' }),
        ...(hiddenCharacters === 0 ? {} : { hidden_characters: hiddenCharacters }),
      });
      page.cleanup();
      onProgress(number, pdf.numPages);
    }
    const properties = await pdfProperties(pdf);
    const attached = await attachmentsOf(pdf, files, parseInner);
    if (file !== null) await recognize(file, unread, parts, facts, { allow, onProgress });
    const { texts, isContinued } = textsOfPages(parts);
    const { text, pages } = joinPages(texts, isContinued);
    return {
      text: [text, ...attached.texts].filter((part) => part !== '').join('\n\n'),
      pages,
      textType: 'text/plain',
      pageCount: texts.length,
      properties: { ...properties, pages: facts, embedded_files: attached.files },
    };
  } finally {
    file?.close();
    await pdf.loadingTask.destroy();
  }
};

async function recognize(
  file: PdfiumFile,
  unread: readonly Unread[],
  parts: PageParts[],
  facts: readonly PageFacts[],
  { allow, onProgress }: Pick<Source, 'allow' | 'onProgress'>,
): Promise<void> {
  if (unread.length === 0) return;
  const recognized = new RecognizedPages(file);
  try {
    for (const [done, page] of unread.entries()) {
      allow(SECONDS_PER_PICTURE);
      const found = await recognizedText(recognized, page);
      const own = facts[page.index];
      if (found !== undefined && own !== undefined) {
        if (found.text !== undefined) {
          parts[page.index] = partsOfText(found.text);
          own.text_source = 'ocr';
        }
        if (found.isDoubtful) own.is_doubtful = true;
      }
      onProgress(done + 1, unread.length);
    }
  } finally {
    await recognized.close();
  }
}

/** @returns undefined if the text of the page stays; without a text, only whether it may be wrong */
async function recognizedText(
  recognized: RecognizedPages,
  { index, lines, bottom, top, recognition, doubtfulFonts }: Unread,
): Promise<{ readonly text?: string; readonly isDoubtful: boolean } | undefined> {
  const number = index + 1;
  if (recognition === 'page') return recognized.page(number);
  if (doubtfulFonts !== undefined) {
    const { text, page } = await recognized.doubtful(number, joinLines(lines), doubtfulFonts);
    if (text === 'wrong') return page;
    if (text === 'unknown') return { isDoubtful: true };
  }
  return recognition === 'pictures' ? recognized.pictures(number, lines, bottom, top) : undefined;
}
