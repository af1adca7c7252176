import { PDFiumLibrary } from '@hyzyla/pdfium';

/** Best resolution for OCR. */
const DOTS_PER_INCH = 200;
const MAX_PIXELS = 8_000_000;

/** Minimum brightness (0 to 255) of all pixels of a blank page. */
const BLANK_FROM = 200;

/** Renders pages of a PDF for OCR. Keeps a copy of the file until closed. */
export class PageImages {
  private constructor(
    private readonly library: PDFiumLibrary,
    private readonly document: Awaited<ReturnType<PDFiumLibrary['loadDocument']>>,
  ) {}

  static async open(bytes: Uint8Array): Promise<PageImages> {
    const library = await PDFiumLibrary.init();
    return new PageImages(library, await library.loadDocument(bytes));
  }

  /** @param pageNumber 1-based. @returns the page as PGM (portable grey map); null if the page is blank. */
  async draw(pageNumber: number): Promise<Uint8Array | null> {
    const page = this.document.getPage(pageNumber - 1);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const most = Math.sqrt(MAX_PIXELS / Math.max(1, originalWidth * originalHeight));
    const { data, width, height } = await page.render({
      scale: Math.min(DOTS_PER_INCH / 72, most),
      colorSpace: 'Gray',
      render: ({ data: pixels }) => Promise.resolve(pixels),
    });
    if (data.every((pixel) => pixel > BLANK_FROM)) return null;
    const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
    const image = new Uint8Array(header.length + data.length);
    image.set(header);
    image.set(data, header.length);
    return image;
  }

  close(): void {
    this.document.destroy();
    this.library.destroy();
  }
}
