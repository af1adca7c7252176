import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

/** Letters of the font below by the code that draws them. A glyph of two letters has both letters. */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'م',
  b: 'لا',
  c: 'س',
  d: 'ش',
  e: 'ו',
  f: 'ל',
  g: '\ufe8e',
};

function mappingOf(letters: Readonly<Record<string, string>>): string {
  const hex = (text: string): string =>
    Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0')).join(
      '',
    );
  const lines = Object.entries(letters).map(
    ([code, text]) => `<${code.charCodeAt(0).toString(16)}> <${hex(text)}>`,
  );
  return (
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Test def /CMapType 2 def ' +
    `1 begincodespacerange <00> <ff> endcodespacerange ${lines.length} beginbfchar ${lines.join(' ')} ` +
    'endbfchar endcmap end end'
  );
}

/** Pages with a font whose lower-case letters draw right-to-left letters. Readers find the objects without a table. */
function pdfOf(...pages: readonly string[]): Uint8Array {
  const stream = (content: string): string =>
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${5 + 2 * at} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 4 0 R >>',
    stream(mappingOf({ ...ASCII, ...LETTERS })),
    ...pages.flatMap((content, at) => [
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> ' +
        `/Contents ${6 + 2 * at} 0 R >>`,
      stream(content),
    ]),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('');
  return new TextEncoder().encode(`%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF\n`);
}

const ASCII = Object.fromEntries(Array.from(' ABMV0123456789.,:%()-', (character) => [character, character]));

const draw = (x: number, y: number, text: string): string =>
  `BT /F1 12 Tf ${x} ${y} Td (${text.replace(/[()]/g, '\\$&')}) Tj ET\n`;

describe('parsePdf on right-to-left pages', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function textOf(...pages: readonly string[]): Promise<string> {
    const { document } = await reader.read(pdfOf(...pages), { filename: 'page.pdf' });
    return document.text.slice();
  }

  it('keeps the letters of a ligature in logical order', async () => {
    expect(await textOf(draw(300, 700, 'abc'))).toBe('سلام');
  });

  it('reads a line of single glyphs from right to left', async () => {
    const glyphs = [draw(300, 700, 'a'), draw(307, 700, 'b'), draw(314, 700, 'c')];
    expect(await textOf(glyphs.join(''))).toBe('سلام');
  });

  it('keeps numbers, Latin words and brackets in a right-to-left line', async () => {
    const line = draw(100, 700, '.15% ef A-471 MV AB gc (2023) abc');
    expect(await textOf(line)).toBe('سلام (2023) سا A-471 MV AB לו 15%.');
  });

  it('orders the cells of a row from right to left', async () => {
    expect(await textOf(draw(100, 700, '12,500') + draw(300, 700, 'ef') + draw(450, 700, 'abc'))).toBe(
      'سلام  לו  12,500',
    );
  });

  it('replaces presentation forms by letters', async () => {
    expect(await textOf(draw(300, 700, 'gc'))).toBe('سا');
  });

  it('reads rotated text', async () => {
    const rotated = 'BT /F1 12 Tf 0 1 -1 0 300 300 Tm (2023 abc) Tj ET\n';
    expect(await textOf(rotated)).toBe('سلام 2023');
  });

  it('leaves left-to-right pages of the same file unchanged', async () => {
    const latin = draw(100, 700, 'AB 12') + draw(300, 700, 'MV');
    const alone = await textOf(latin);
    expect(await textOf(latin, draw(300, 700, 'abc'))).toBe(`${alone}\n\nسلام`);
  });
});
