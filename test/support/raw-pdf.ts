import { deflateSync } from 'node:zlib';

/** A page of a PDF that is written object by object. */
export interface RawPage {
  /** Content stream. Fonts: F1 Helvetica, F2 Courier. */
  readonly content: string;
  /** Further entries of the page: `/Rotate 90`. */
  readonly entries?: string;
  /** Further resources: `/XObject << /Scan 100 0 R >>`. */
  readonly resources?: string;
}

interface RawFile {
  /** Further entries of the catalog. */
  readonly catalog?: string;
  /** Further objects, numbered from 100. */
  readonly objects?: readonly (string | Uint8Array)[];
}

const FIRST_OTHER = 100;
const FIRST_PAGE = 10;

/** Writes a PDF of 612 × 792 points. It has no cross-reference table, so readers search for the objects. */
export function rawPdf(pages: readonly RawPage[], { catalog = '', objects = [] }: RawFile = {}): Uint8Array {
  const kids = pages.map((_, index) => `${FIRST_PAGE + 2 * index} 0 R`).join(' ');
  const parts = [
    Buffer.from('%PDF-1.7\n'),
    object(1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`),
    object(2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'),
    object(4, '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>'),
    ...pages.flatMap(({ content, entries = '', resources = '' }, index) => [
      object(
        FIRST_PAGE + 2 * index,
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${entries} ` +
          `/Resources << /Font << /F1 3 0 R /F2 4 0 R >> ${resources} >> /Contents ${FIRST_PAGE + 1 + 2 * index} 0 R >>`,
      ),
      object(FIRST_PAGE + 1 + 2 * index, stream('', Buffer.from(content, 'latin1'))),
    ]),
    ...objects.map((content, index) => object(FIRST_OTHER + index, content)),
    Buffer.from('trailer\n<< /Root 1 0 R >>\n%%EOF\n'),
  ];
  return Uint8Array.from(Buffer.concat(parts));
}

function object(number: number, content: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n`),
    typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
    Buffer.from('\nendobj\n'),
  ]);
}

/** A compressed stream. @param entries entries of its dictionary */
export function stream(entries: string, content: Uint8Array): Uint8Array {
  const compressed = deflateSync(content);
  return Buffer.concat([
    Buffer.from(`<< ${entries} /Filter /FlateDecode /Length ${compressed.length} >>\nstream\n`),
    compressed,
    Buffer.from('\nendstream'),
  ]);
}

export function greyPicture(data: Uint8Array, width: number, height: number): Uint8Array {
  return stream(
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
    data,
  );
}

/** Draws a line of text at a place, in points from the lower left corner. */
export function drawn(text: string, x: number, y: number, size = 11): string {
  return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped(text)}) Tj ET\n`;
}

export function escaped(text: string): string {
  return text.replace(/[\\()]/g, (character) => `\\${character}`);
}
