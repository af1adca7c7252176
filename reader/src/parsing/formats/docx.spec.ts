import { DocumentReader } from '../document-reader.js';
import type { ParsedDocument } from '../parser.js';
import { Readers } from '../reader/readers.js';
import { docx, NAMESPACES, p, r, type WordParts } from '../../../../test/support/word-document.js';

/** Parses in a separate process, as the service does. */
const readers = new Readers();
const reader = new DocumentReader(readers);
afterAll(() => readers.close());

async function read(bytes: Uint8Array): Promise<ParsedDocument> {
  const { document } = await reader.read(Uint8Array.from(bytes), { filename: 'a.docx', allowNoText: true });
  return { ...document, text: document.text.slice() };
}

async function textOf(body: string, parts: WordParts = {}): Promise<string> {
  return (await read(docx(body, parts))).text;
}

const mark = (type: string, inside = ''): string =>
  `<w:r><w:fldChar w:fldCharType="${type}">${inside}</w:fldChar></w:r>`;
const code = (text: string): string => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
const field = (instruction: string, result: string, form = ''): string =>
  mark('begin', form) + code(instruction) + mark('separate') + result + mark('end');
const simple = (instruction: string, result: string): string =>
  `<w:fldSimple w:instr="${instruction}">${result}</w:fldSimple>`;

describe('fields of a Word document', () => {
  it.each([
    ['simple', simple('SEQ Table', r('7')), '7'],
    ['simple in a simple one', simple('IF 1', r('no ') + simple('REF x', r('Section 4'))), 'no Section 4'],
    ['simple in a link', `<w:hyperlink>${simple('REF x', r('Annex B'))}</w:hyperlink>`, 'Annex B'],
    ['marked', field('REF x', r('Section 4.2')), 'Section 4.2'],
    [
      'with a field in its instruction',
      mark('begin') + code('IF ') + field('REF y', r('hidden')) + mark('separate') + r('shown') + mark('end'),
      'shown',
    ],
    ['with a button', mark('begin') + code('MACROBUTTON None [Your name]') + mark('end'), '[Your name]'],
    [
      'with a choice',
      mark(
        'begin',
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData>',
      ) +
        code('FORMDROPDOWN') +
        mark('end'),
      'blue',
    ],
  ])('reads a field %s', async (_, content, expected) => {
    expect(await textOf(p(`${r('It is ')}${content}${r('.')}`) + p(r('After')))).toBe(
      `It is ${expected}.\n\nAfter`,
    );
  });

  it('reads the paragraphs after an unterminated field', async () => {
    expect(await textOf(p(mark('begin') + code('REF x')) + p(r('After')))).toBe('After');
  });

  it('reads a result that spans paragraphs', async () => {
    const begun = mark('begin') + code('TOC') + mark('separate') + r('One');
    expect(await textOf(p(begun) + p(r('Two') + mark('end')) + p(r('Text')))).toBe('One\n\nTwo\n\nText');
  });

  it.each([
    ['ticked', '<w:checked/>', '☒'],
    ['unticked', '<w:checked w:val="0"/>', '☐'],
    ['ticked from the start', '<w:default w:val="1"/>', '☒'],
    ['unticked later', '<w:default w:val="1"/><w:checked w:val="0"/>', '☐'],
  ])('reads a box that is %s', async (_, state, expected) => {
    const form = `<w:ffData><w:checkBox>${state}</w:checkBox></w:ffData>`;
    expect(await textOf(p(mark('begin', form) + code('FORMCHECKBOX') + mark('end') + r(' Sauna')))).toBe(
      `${expected} Sauna`,
    );
  });
});

describe('content controls of a Word document', () => {
  const control = (content: string, properties = ''): string =>
    `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
  const box = (value: string): string => `<w14:checkbox><w14:checked w14:val="${value}"/></w14:checkbox>`;

  it('distinguishes ticked boxes, regardless of their character', async () => {
    const tick = '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>';
    const rows = [
      control(p(r('Y')), box('true')),
      p(control(tick, box('1')) + r(' Bed')),
      p(control(r('☑'), box('0')) + r(' Sauna')),
    ];
    expect(await textOf(rows.join(''))).toBe('☒\n\n☒ Bed\n\n☐ Sauna');
  });

  it('reads controls around rows, cells and blocks', async () => {
    const cell = (text: string): string => `<w:tc>${control(p(r(text)), '<w:text/>')}</w:tc>`;
    const row = (cells: string): string => control(`<w:tr>${cells}</w:tr>`);
    const table = `<w:tbl>${row(cell('Ship') + control(cell('Port')))}${row(cell('Bora') + cell('Oslo'))}</w:tbl>`;
    expect(await textOf(control(table))).toBe('| Ship | Port |\n| --- | --- |\n| Bora | Oslo |');
  });
});

describe('characters of a Word document', () => {
  const styles =
    '<w:style w:type="character" w:styleId="Secret"><w:rPr><w:vanish/></w:rPr></w:style>' +
    '<w:style w:type="character" w:styleId="Secrets"><w:basedOn w:val="Secret"/></w:style>' +
    '<w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Hidden"><w:rPr><w:vanish/></w:rPr></w:style>';
  const up = '<w:vertAlign w:val="superscript"/>';
  const down = '<w:vertAlign w:val="subscript"/>';

  it.each([
    ['a power', r('10') + r('6', up), '10^6'],
    ['a power in two runs', r('10') + r('-', up) + r('12', '<w:rStyle w:val="Up"/>'), '10^-12'],
    ['an ordinal in two runs', r('1') + r('s', up) + r('t', up), '1st'],
    ['an index', r('CO') + r('2', down), 'CO_2'],
    ['hidden text', r('a') + r('b', '<w:vanish/>') + r('c', '<w:vanish w:val="0"/>'), 'ac'],
    ['text hidden by its style', r('a') + r('b', '<w:rStyle w:val="Secrets"/>'), 'a'],
    ['struck text', r('a') + r('b', '<w:strike/>') + r('c', '<w:dstrike/>'), 'a'],
    [
      'changes',
      `<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>${r('from')}</w:moveFrom><w:ins>${r('new')}</w:ins><w:moveTo>${r(' to')}</w:moveTo>`,
      'new to',
    ],
    [
      'hyphens',
      `${r('non')}<w:r><w:noBreakHyphen/></w:r>${r('break')}<w:r><w:softHyphen/></w:r>${r('ing')}`,
      'non-breaking',
    ],
    [
      'symbols',
      `<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>${r('\uf0a8', '<w:rFonts w:ascii="Wingdings"/>')}`,
      'α☒☐',
    ],
    ['breaks', `${r('a')}<w:r><w:tab/></w:r>${r('b')}<w:r><w:br/><w:cr/></w:r>${r('c')}`, 'a b\n\nc'],
    [
      'ruby',
      `<w:r><w:ruby><w:rt>${r('さぎ')}</w:rt><w:rubyBase>${r('鷺')}</w:rubyBase></w:ruby></w:r>`,
      '鷺(さぎ)',
    ],
    [
      'smart tags and custom markup',
      `<w:smartTag>${r('Torvig')}</w:smartTag><w:customXml>${r('!')}</w:customXml>`,
      'Torvig!',
    ],
  ])('reads %s', async (_, content, expected) => {
    expect(await textOf(p(content), { styles })).toBe(expected);
  });

  it('switches off a property that both styles switch on', async () => {
    const shown = r('shown', '<w:rStyle w:val="Secret"/>');
    expect(await textOf(p(r('hidden') + shown, '<w:pStyle w:val="Hidden"/>'), { styles })).toBe('shown');
  });

  it('joins paragraphs whose break was deleted', async () => {
    expect(await textOf(p(r('One '), '<w:rPr><w:del/></w:rPr>') + p(r('two')))).toBe('One two');
  });

  it('reads attributes with any prefix', async () => {
    const body = p('<w:r><w:rPr><w:vertAlign z:val="superscript" xmlns:z="w"/></w:rPr><w:t>6</w:t></w:r>');
    expect(await textOf(body)).toBe('^6');
  });
});

describe('tables of a Word document', () => {
  const tc = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${p(r(text))}</w:tc>`;
  const tr = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;
  const begins = '<w:vMerge w:val="restart"/>';
  const goesOn = '<w:vMerge/>';

  it('repeats a merged cell in every row that it covers', async () => {
    const table = `<w:tbl>${tr(tc('Ship'), tc('Deck'), tc('Berths'))}${tr(tc('Aurora', begins), tc('upper'), tc('20'))}${tr(tc('', goesOn), tc('lower'), tc('14'))}${tr(tc('Both', '<w:gridSpan w:val="2"/>'), tc('34'))}</w:tbl>`;
    expect(await textOf(table)).toBe(
      '| Ship | Deck | Berths |\n| --- | --- | --- |\n| Aurora | upper | 20 |\n| Aurora | lower | 14 |\n| Both |  | 34 |',
    );
  });

  it('omits deleted rows, and starts a row in its column', async () => {
    const deleted = `<w:tr><w:trPr><w:del/></w:trPr>${tc('old')}${tc('row')}</w:tr>`;
    const late = `<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>${tc('2')}</w:tr>`;
    expect(await textOf(`<w:tbl>${tr(tc('a'), tc('b'))}${deleted}${late}</w:tbl>`)).toBe(
      '| a | b |\n| --- | --- |\n|  | 2 |',
    );
  });

  it('reads a layout table cell by cell', async () => {
    const inner = `<w:tbl>${tr(tc('a'), tc('b'))}${tr(tc('1'), tc('2'))}</w:tbl>`;
    expect(await textOf(`<w:tbl>${tr(tc('left'), `<w:tc>${inner}${p('')}</w:tc>`)}</w:tbl>`)).toBe(
      'left\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
    );
  });
});

describe('other parts of a Word document', () => {
  it('reads notes after the text, by their marks', async () => {
    const note = (kind: string, id: number, more = ''): string =>
      `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:${kind}Reference w:id="${id}"${more}/></w:r>`;
    const body =
      p(r('50') + note('footnote', 3) + r(' km') + note('footnote', 2) + note('endnote', 2)) +
      p(
        r('Own') +
          note('footnote', 4, ' w:customMarkFollows="1"').replace('/></w:r>', '/><w:t>*</w:t></w:r>'),
      );
    const notes = (kind: string, ...ids: number[]): string =>
      ids.map((id) => `<w:${kind} w:id="${id}">${p(r(`${kind} ${id}`))}</w:${kind}>`).join('');
    expect(
      await textOf(body, { footnotes: notes('footnote', 2, 3, 4, 5), endnotes: notes('endnote', 2) }),
    ).toBe('50[1] km[2][i]\n\nOwn[*]\n\n[1] footnote 3\n\n[2] footnote 2\n\nfootnote 4\n\n[i] endnote 2');
  });

  it('reads comments with their authors', async () => {
    expect(
      await textOf(p(r('Text')), { comments: `<w:comment w:author="Ann">${p(r('Why?'))}</w:comment>` }),
    ).toBe('Text\n\nComment (Ann): Why?');
  });

  it('reads printed headers and footers once, without page numbers', async () => {
    const header = (content: string): string => `<w:hdr ${NAMESPACES}>${content}</w:hdr>`;
    const others = [
      [
        'h1',
        'header',
        'h1.xml',
        header(p(r('Acme Ltd') + '<w:r><w:tab/></w:r>' + r('Page ') + field('PAGE', r('1')))),
      ],
      ['h2', 'header', 'h2.xml', header(p(r('Letter of 3 May')))],
      ['h3', 'header', 'h3.xml', header(p(r('Never printed')))],
      ['f1', 'footer', 'f1.xml', header(p(r('Acme Ltd')) + p(simple('PAGE', r('7'))))],
    ] as const;
    const refer = (kind: string, id: string, where: string): string =>
      `<w:${kind}Reference w:type="${id}" r:id="${where}"/>`;
    const section = `<w:sectPr>${refer('header', 'default', 'h1')}${refer('header', 'first', 'h2')}${refer('header', 'even', 'h3')}${refer('footer', 'default', 'f1')}<w:titlePg/></w:sectPr>`;
    expect(await textOf(p(r('One'), section) + p(r('Two')) + section, { others })).toBe(
      'One\n\nTwo\n\nLetter of 3 May\n\nAcme Ltd',
    );
  });

  it('reads text boxes after their paragraph, once, and descriptions of images', async () => {
    const box = (text: string): string => `<w:txbxContent>${p(r(text))}${p(r('two'))}</w:txbxContent>`;
    const drawing = `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:docPr descr="A box"/><wps:txbx>${box('one')}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>${box('one')}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    const picture =
      '<w:r><w:drawing><wp:docPr id="1" name="Picture 1" descr="A heron at dawn"/></w:drawing></w:r>';
    expect(await textOf(p(r('Title') + drawing + r('This')) + p(picture))).toBe(
      'TitleThis\n\none\n\ntwo\n\nA heron at dawn',
    );
  });

  it('reads embedded files at their position, once each, and reports unreadable ones', async () => {
    const others = [
      ['a1', 'aFChunk', 'chunk.html', '<p>Deposit</p>'],
      ['a2', 'package', 'book.xlsx', 'broken'],
    ] as const;
    const object = '<w:r><w:object><o:OLEObject r:id="a2"/></w:object></w:r>';
    const document = docx(
      p(r('Before')) + '<w:altChunk r:id="a1"/><w:altChunk r:id="a1"/>' + p(r('After') + object),
      { others },
    );
    const { text, properties } = await read(document);
    expect(text).toBe('Before\n\nDeposit\n\nAfter');
    expect(properties['embedded_files']).toEqual([
      { filename: 'chunk.html', size: 14, content_type: 'text/html' },
      { filename: 'book.xlsx', size: 6, error: expect.stringContaining('.xlsx') as string },
    ]);
  });

  it('reads inline and display formulas', async () => {
    const math = (text: string): string => `<m:oMath><m:r><m:t>${text}</m:t></m:r></m:oMath>`;
    expect(
      await textOf(
        p(r('Within ') + math('±0.05 mm') + r(' of it')) +
          p(`<m:oMathPara>${math('a=b')}${math('c=d')}</m:oMathPara>`),
      ),
    ).toBe('Within ±0.05 mm of it\n\na=b\nc=d');
  });

  it.each(['w:fldSimple', 'w:sdt', 'w:tbl', 'm:sSup'])('rejects %s nested too deeply', async (name) => {
    await expect(textOf(p(`<${name}>`.repeat(10_000) + `</${name}>`.repeat(10_000)))).rejects.toThrow(
      /nested more than/,
    );
  });
});
