import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';
import { docx, p, r, type WordParts } from '../../../../test/support/word-document.js';

/** Parses in a separate process, as the service does. */
const readers = new Readers();
const reader = new DocumentReader(readers);
afterAll(() => readers.close());

async function textOf(body: string, parts: WordParts = {}): Promise<string> {
  const { document } = await reader.read(Uint8Array.from(docx(body, parts)), {
    filename: 'a.docx',
    allowNoText: true,
  });
  return document.text.slice();
}

describe('numbers of a Word document', () => {
  const level = (index: number, format: string, text: string, more = ''): string =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const list = (id: number, ...levels: string[]): string =>
    `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
  const instance = (id: number, abstract: number, overrides = ''): string =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstract}"/>${overrides}</w:num>`;
  const item = (id: number, index: number, text = 'x', more = ''): string =>
    p(
      text === '' ? '' : r(text),
      `${more}<w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="${id}"/></w:numPr>`,
    );
  const numbersOf = async (numbering: string, items: readonly string[]): Promise<string[]> =>
    (await textOf(items.join(''), { numbering })).split(/\n+/).map((line) => line.trim().replace(/ ?x$/, ''));

  const legal = list(
    1,
    level(0, 'decimal', '%1.'),
    level(1, 'decimal', '%1.%2'),
    level(2, 'lowerLetter', '(%3)'),
  );

  it.each([
    [
      'levels',
      legal + instance(1, 1),
      [
        [1, 0],
        [1, 1],
        [1, 2],
        [1, 2],
        [1, 1],
        [1, 0],
        [1, 1],
      ],
      ['1.', '1.1', '(a)', '(b)', '1.2', '2.', '2.1'],
    ],
    [
      'a level without paragraphs at higher levels',
      legal + instance(1, 1),
      [
        [1, 1],
        [1, 1],
        [1, 0],
      ],
      ['1.1', '1.2', '2.'],
    ],
    [
      'two instances of one list',
      legal + instance(1, 1) + instance(2, 1),
      [
        [1, 0],
        [2, 0],
        [1, 0],
      ],
      ['1.', '2.', '3.'],
    ],
    [
      'an instance that restarts',
      legal +
        instance(1, 1) +
        instance(2, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'),
      [
        [1, 0],
        [2, 0],
        [2, 0],
        [2, 1],
      ],
      ['1.', '5.', '6.', '6.1'],
    ],
    [
      'an instance that overrides a level',
      legal +
        instance(1, 1, `<w:lvlOverride w:ilvl="0">${level(0, 'upperRoman', 'Part %1:')}</w:lvlOverride>`),
      [
        [1, 0],
        [1, 0],
      ],
      ['Part I:', 'Part II:'],
    ],
    [
      'decimal numbers of other levels',
      list(1, level(0, 'upperRoman', 'Article %1'), level(1, 'decimal', '%1.%2', '<w:isLgl/>')) +
        instance(1, 1),
      [
        [1, 0],
        [1, 0],
        [1, 1],
      ],
      ['Article I', 'Article II', '2.1'],
    ],
    [
      'a level that continues',
      list(1, level(0, 'decimal', 'Part %1'), level(1, 'decimal', 'Clause %2', '<w:lvlRestart w:val="0"/>')) +
        instance(1, 1),
      [
        [1, 0],
        [1, 1],
        [1, 0],
        [1, 1],
      ],
      ['Part 1', 'Clause 1', 'Part 2', 'Clause 2'],
    ],
    [
      'bullets',
      list(1, level(0, 'bullet', '')) + instance(1, 1),
      [
        [1, 0],
        [1, 0],
      ],
      ['-', '-'],
    ],
    [
      'no number',
      list(1, level(0, 'none', '')) + instance(1, 1),
      [
        [1, 0],
        [0, 0],
      ],
      ['', ''],
    ],
    [
      'a custom format',
      list(
        1,
        `<w:lvl w:ilvl="0"><w:start w:val="1"/><mc:AlternateContent><mc:Choice><w:numFmt w:val="custom" w:format="001, 002"/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="%1"/></w:lvl>`,
      ) + instance(1, 1),
      [
        [1, 0],
        [1, 0],
      ],
      ['001', '002'],
    ],
  ] as const)('prints %s', async (_, numbering, items, expected) => {
    expect(
      await numbersOf(
        numbering,
        items.map(([id, index]) => item(id, index)),
      ),
    ).toEqual(expected);
  });

  it('finds numbers of styles, including headings and derived styles', async () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
      '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My heading"/><w:basedOn w:val="H2"/></w:style>';
    const numbering =
      list(
        1,
        level(0, 'decimal', '%1', '<w:pStyle w:val="H1"/>'),
        level(1, 'decimal', '%1.%2', '<w:pStyle w:val="H2"/>'),
      ) + instance(1, 1);
    const heading = (style: string, text: string, more = ''): string =>
      p(r(text), `<w:pStyle w:val="${style}"/>${more}`);
    const none = '<w:numPr><w:numId w:val="0"/></w:numPr>';
    expect(
      await textOf(
        heading('H1', 'Term') +
          heading('H2', 'Begin') +
          heading('Mine', 'End') +
          heading('H1', 'Annex', none),
        { styles, numbering },
      ),
    ).toBe('# 1 Term\n\n## 1.1 Begin\n\n## 1.2 End\n\n# Annex');
  });

  it('follows a list style to its levels', async () => {
    const styles =
      '<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>';
    const numbering =
      '<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="S"/>' +
      level(0, 'upperLetter', '%1)') +
      '</w:abstractNum>' +
      '<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="S"/></w:abstractNum>' +
      instance(1, 1) +
      instance(2, 2);
    expect(await textOf(item(2, 0) + item(2, 0), { styles, numbering })).toBe('A) x\n\nB) x');
  });

  it('separates a number from the digits after it', async () => {
    const numbering =
      list(1, level(0, 'decimal', '%1', '<w:suff w:val="nothing"/>')) +
      list(2, level(0, 'decimal', '第%1条', '<w:suff w:val="nothing"/>')) +
      instance(1, 1) +
      instance(2, 2);
    expect(await textOf(item(1, 0, '5 km') + item(2, 0, '租金'), { numbering })).toBe('1 5 km\n\n第1条租金');
  });

  it('counts an empty paragraph, but not a deleted or hidden paragraph', async () => {
    const numbering = legal + instance(1, 1);
    const deleted = item(1, 0, '', '<w:rPr><w:del/></w:rPr>');
    const hidden = item(1, 0, '', '<w:rPr><w:vanish/></w:rPr>');
    expect(await textOf(item(1, 0) + deleted + hidden + item(1, 0, '') + item(1, 0), { numbering })).toBe(
      '1. x\n2.\n3. x',
    );
  });

  it.each([
    [
      'styles with circular bases',
      '<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>',
      '',
    ],
    [
      'list styles with circular references',
      '<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>',
      '<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="S"/></w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>',
    ],
  ])('survives %s', async (_, styles, numbering) => {
    expect(await textOf(p(r('x'), '<w:pStyle w:val="A"/>') + item(2, 0), { styles, numbering })).toBe(
      'x\n\nx',
    );
  });
});
