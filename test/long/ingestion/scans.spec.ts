import { drawn, escaped, greyPicture, rawPdf, stream } from '../../support/raw-pdf.js';
import { DocumentReader } from '../../../reader/src/parsing/document-reader.js';
import { drawInGrey, type GreyPixels } from '../../../reader/src/parsing/pdf/page-raster.js';
import { PdfiumFile } from '../../../reader/src/parsing/pdf/pdfium-file.js';
import { Readers } from '../../../reader/src/parsing/reader/readers.js';
import { turnedClockwise } from '../../../reader/src/parsing/turned-pixels.js';

/** OCR takes seconds. */
const SENTENCES = ['The contract names Berta Lund as the owner', 'of the southern quay since 1912.'];

/** A page with two lines of text as a picture. */
async function picture(): Promise<GreyPixels> {
  const content = SENTENCES.map((text, index) => drawn(text, 60, 600 - index * 30, 20)).join('');
  const file = await PdfiumFile.open(rawPdf([{ content }]));
  const pixels = file?.onPage(1, (page) => drawInGrey(file, page, 150, 4_000_000));
  file?.close();
  if (pixels === undefined) throw new Error('The page cannot be drawn.');
  return pixels;
}

describe('a PDF without usable text', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function read(
    bytes: Uint8Array,
    filename = 'scan.pdf',
  ): Promise<{ text: string; properties: object }> {
    const { document } = await reader.read(bytes, { filename });
    return { text: document.text.slice(), properties: document.properties };
  }

  async function scanned(typed: string, entries = '', quarters = 0): Promise<Uint8Array> {
    const upright = await picture();
    const { data, width, height } = quarters === 0 ? upright : turnedClockwise(upright, quarters);
    const content = `q 612 0 0 792 0 0 cm /Scan Do Q\n${typed}`;
    return rawPdf([{ content, entries, resources: '/XObject << /Scan 100 0 R >>' }], {
      objects: [greyPicture(data, width, height)],
    });
  }

  it.each([
    ['a Bates number', 'LUND 0004711', 30],
    ['a fax header', '03/05/2024 14:22 FROM: HARBOUR BOARD TO: +47 555 0100 PAGE 02/09', 780],
    ['a line of a scanner app', 'Scanned by TapScanner', 20],
    ['a filing stamp', 'Case 3:21-cv-00417 Document 88-2 Filed 03/05/24 Page 7 of 31 PageID #: 902', 775],
    ['one dot', '.', 20],
  ])('is recognised behind %s, which stays', async (_, stamp, y) => {
    const { text, properties } = await read(await scanned(drawn(stamp, 60, y, 8)));
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
    expect(text).toContain(stamp);
    expect(text.split(stamp)).toHaveLength(stamp === '.' ? text.split('.').length : 2);
    expect(properties).toMatchObject({ pages: [{ text_source: 'ocr' }] });
  });

  it('is not recognised if its text layer is complete', async () => {
    const layer = `3 Tr ${drawn('Deed of the northern quay, copied in 1950.', 60, 600)}`;
    const { text, properties } = await read(await scanned(layer));
    expect(text).toBe('Deed of the northern quay, copied in 1950.');
    expect(properties).toMatchObject({ pages: [{ text_source: 'text' }] });
  });

  it.each([1, 2, 3])('is recognised after %d quarter turns', async (quarters) => {
    const { text } = await read(await scanned('', '', quarters));
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
  });

  it.each([1, 2, 3])('is recognised as an image after %d quarter turns', async (quarters) => {
    const { data, width, height } = turnedClockwise(await picture(), quarters);
    const rgba = Uint8Array.from({ length: 4 * data.length }, (_, at) =>
      at % 4 === 3 ? 255 : (data[at >> 2] ?? 0),
    );
    const { Transformer } = await import('@napi-rs/image');
    const { text } = await read(await Transformer.fromRgbaPixels(rgba, width, height).png(), 'photo.png');
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
  });

  /** Every other strip of rows is moved aside, so that nobody can read the letters. */
  const torn = ({ data, width, height }: GreyPixels): GreyPixels => ({
    data: data.map((_, at) => {
      const row = Math.floor(at / width);
      const aside = Math.floor(row / 4) % 2 === 0 ? 0 : 9;
      return data[row * width + (((at % width) + aside) % width)] ?? 255;
    }),
    width,
    height,
  });
  const pictured = ({ data, width, height }: GreyPixels): Uint8Array =>
    rawPdf([{ content: 'q 612 0 0 792 0 0 cm /Scan Do Q', resources: '/XObject << /Scan 100 0 R >>' }], {
      objects: [greyPicture(data, width, height)],
    });

  it('is doubtful only if most of the recognised text may be wrong', async () => {
    const pixels = await picture();
    const clear = await read(pictured(pixels));
    expect(clear.properties).toMatchObject({ pages: [{ text_source: 'ocr' }] });
    expect(JSON.stringify(clear.properties)).not.toContain('is_doubtful');
    const wrong = await read(pictured(torn(pixels)));
    expect(wrong.properties).toMatchObject({ pages: [{ text_source: 'ocr', is_doubtful: true }] });
  });

  it('is doubtful as an image too', async () => {
    const { data, width, height } = torn(await picture());
    const rgba = Uint8Array.from({ length: 4 * data.length }, (_, at) =>
      at % 4 === 3 ? 255 : (data[at >> 2] ?? 0),
    );
    const { Transformer } = await import('@napi-rs/image');
    const { properties } = await read(
      await Transformer.fromRgbaPixels(rgba, width, height).png(),
      'photo.png',
    );
    expect(properties).toMatchObject({ pages: [{ is_doubtful: true }] });
  });

  /** Lines in a font whose glyphs have names of their own. @param draws the letter that the glyph of a code draws */
  function oddFont(lines: readonly string[], draws: (code: number) => number): Uint8Array {
    const named = Array.from({ length: 95 }, (_, at) => `/g${at}x`).join(' ');
    const font =
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 32 ' +
      `/LastChar 126 /Widths [${'600 '.repeat(95)}] /Encoding << /Type /Encoding /Differences [32 ${named}] >> ` +
      `/CharProcs << ${Array.from({ length: 95 }, (_, at) => `/g${at}x ${200 + at} 0 R`).join(' ')} >> ` +
      '/Resources << /Font << /F2 4 0 R >> >> >>';
    const glyphs = Array.from({ length: 95 }, (_, at) => {
      const hex = draws(at + 32)
        .toString(16)
        .padStart(2, '0');
      return stream('', Buffer.from(`600 0 d0 BT /F2 1000 Tf <${hex}> Tj ET`));
    });
    const filler = Array.from({ length: 99 }, () => '<< >>');
    const content = lines
      .map((text, at) => `BT /Odd 16 Tf 40 ${600 - at * 30} Td (${escaped(text)}) Tj ET`)
      .join('\n');
    const bytes = rawPdf([{ content }], { objects: [font, ...filler, ...glyphs] });
    const withFont = Buffer.from(bytes)
      .toString('latin1')
      .replace('/F2 4 0 R >>  >>', '/F2 4 0 R /Odd 100 0 R >>  >>');
    return Uint8Array.from(Buffer.from(withFont, 'latin1'));
  }

  it('is recognised if its codes are not those of the letters that it shows', async () => {
    const shift = (code: number, by: number): number => 32 + ((code - 32 + by + 95) % 95);
    const garbled = SENTENCES.map((text) =>
      String.fromCharCode(...Array.from(text, (letter) => shift(letter.charCodeAt(0), 29))),
    );
    const { text, properties } = await read(oddFont(garbled, (code) => shift(code, -29)));
    for (const sentence of SENTENCES) expect(text).toContain(sentence);
    expect(properties).toMatchObject({ pages: [{ text_source: 'ocr' }] });
  });

  it('keeps its text if the picture shows the same words, though the font has no mapping', async () => {
    const { text, properties } = await read(oddFont(SENTENCES, (code) => code));
    expect(text.split(/\n+/)).toEqual(SENTENCES);
    expect(properties).toMatchObject({ pages: [{ text_source: 'text' }] });
    expect(JSON.stringify(properties)).not.toContain('is_doubtful');
  });
});
