import { drawn, rawPdf, stream } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

/** Helvetica as object 100, whose glyph of `A` stands for two letters. */
const LIGATURES = {
  objects: [
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 101 0 R >>',
    stream(
      '',
      Buffer.from(
        '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /L def /CMapType 2 def ' +
          '1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <00660066> endbfchar ' +
          '1 beginbfrange <61> <7A> <0061> endbfrange endcmap end end',
      ),
    ),
  ],
};
const FONT = '/Font << /F1 3 0 R /F3 100 0 R >>';

/** The glyphs of a page with it are read one by one. */
const HEADING = drawn('H A R B O U R', 60, 740);

/** Places of spaced letters that an editor rounded. */
const PLACES = [
  134, 144.4, 152.8, 158.2, 171, 175.4, 187.2, 194.6, 203, 214.4, 227.2, 231.6, 240, 245.4, 256.8, 265.2,
  269.6, 274, 282.4, 295.2, 299.6, 308, 315.4,
];

describe('the text of a PDF page whose glyphs are read one by one', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function textOf(content: string, resources = '', file = {}): Promise<string> {
    const { document } = await reader.read(rawPdf([{ content, resources }], file), { filename: 'page.pdf' });
    return document.text.slice();
  }

  it.each([1, 2])('has both letters of a ligature that is drawn %i times', async (times) => {
    const office = 'BT /F3 12 Tf 1 0 0 1 60 700 Tm (the oAice) Tj ET\n'.repeat(times);
    expect(await textOf(HEADING + office, FONT, LIGATURES)).toBe('HARBOUR\n\nthe office');
  });

  it('has whole words if only some letters are far enough apart for a space', async () => {
    const letters = Array.from('Hereissomeformattedtext', (one, at) => drawn(one, PLACES[at] ?? 0, 700, 12));
    expect(await textOf(letters.join(''))).toBe('Here is some formatted text');
  });

  it('has single letters as words if other letters touch each other', async () => {
    const line = 'C C T T C T C C AT';
    expect(await textOf(drawn(line, 60, 700))).toBe(line);
  });

  it('has a subscript below an exponent apart from it', async () => {
    const content = drawn('m', 60, 700, 14) + drawn('C', 72, 705, 10) + drawn('q', 72, 696.5, 10);
    expect(await textOf(content + drawn('[GeV]', 84, 700, 14))).toMatch(/^m\^C_q ?\[GeV\]$/);
  });
});
