import type { PdfiumFile } from './pdfium-file.js';

const FIRST_PRINTABLE = 0x21;

/** Number of glyphs of a page that are examined. */
const MAX_GLYPHS = 4_000;

/** Finds pages whose fonts map glyphs to no characters. A page is examined only if it uses a font for the first time. */
export class UnmappedFonts {
  /** Fonts of pages on which every glyph has a character. */
  private readonly mapped = new Set<string>();

  /**
   * The share of glyphs without a character, 0 to 1.
   *
   * @param page a page that PDFium has opened
   * @param fonts names of the fonts of the page
   */
  shareOn(file: PdfiumFile, page: number, fonts: ReadonlySet<string>): number {
    if ([...fonts].every((font) => this.mapped.has(font))) return 0;
    const share = file.onTextOf(page, (textPage) => shareIn(file, textPage)) ?? 0;
    if (share === 0) for (const font of fonts) this.mapped.add(font);
    return share;
  }
}

function shareIn({ module }: PdfiumFile, textPage: number): number {
  const count = Math.min(MAX_GLYPHS, module._FPDFText_CountChars(textPage));
  let [glyphs, unmapped] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    if (module._FPDFText_HasUnicodeMapError(textPage, index) === 1) unmapped += 1;
    else if (module._FPDFText_GetUnicode(textPage, index) < FIRST_PRINTABLE) continue;
    glyphs += 1;
  }
  return unmapped / Math.max(1, glyphs);
}
