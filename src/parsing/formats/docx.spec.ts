import { strToU8, zipSync } from 'fflate';
import { readSettings } from '../../config/read-settings.js';
import { DocumentReader } from '../document-reader.js';
import type { ParsedDocument } from '../parser.js';
import { Readers } from '../reader/readers.js';

jest.setTimeout(60_000);

const NAMESPACES =
  'xmlns:w="w" xmlns:m="m" xmlns:r="r" xmlns:w14="w14" xmlns:mc="mc" xmlns:wp="wp" xmlns:a="a" xmlns:wps="wps" xmlns:v="v" xmlns:o="o"';

const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

interface Parts {
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly endnotes?: string;
  readonly comments?: string;
  readonly settings?: string;
  /** Other parts, and their relationships: `[id, type]` to text. */
  readonly others?: readonly (readonly [id: string, type: string, name: string, content: string])[];
}

function docx(body: string, { others = [], ...parts }: Parts = {}): Uint8Array {
  const part = (root: string, content: string): Uint8Array =>
    strToU8(`<w:${root} ${NAMESPACES}>${content}</w:${root}>`);
  return zipSync({
    '[Content_Types].xml': strToU8(CONTENT_TYPES),
    'word/document.xml': part('document', `<w:body>${body}</w:body>`),
    ...Object.fromEntries(
      Object.entries(parts).map(([name, content]: [string, string]) => [
        `word/${name}.xml`,
        part(name, content),
      ]),
    ),
    ...Object.fromEntries(others.map(([, , name, content]) => [`word/${name}`, strToU8(content)])),
    'word/_rels/document.xml.rels': strToU8(
      `<Relationships>${others
        .map(([id, type, name]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${name}"/>`)
        .join('')}</Relationships>`,
    ),
  });
}

/** Parses in a separate process, as the service does. */
const readers = new Readers(readSettings({}));
const reader = new DocumentReader(readers);
afterAll(() => readers.onModuleDestroy());

async function read(bytes: Uint8Array): Promise<ParsedDocument> {
  const { document } = await reader.read(Uint8Array.from(bytes), { filename: 'a.docx', allowNoText: true });
  return { ...document, text: document.text.slice() };
}

async function textOf(body: string, parts: Parts = {}): Promise<string> {
  return (await read(docx(body, parts))).text;
}

const r = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (content: string, properties = ''): string => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
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

  it('distinguishes ticked boxes, whatever character they show', async () => {
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

  it('switches a property off that both styles switch on', async () => {
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
      'a level whose parents have no paragraph',
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
      'an instance that begins anew',
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
      'an instance with a level of its own',
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
      'a level that goes on',
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
      'a format of its own',
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

  it('finds numbers of styles, also of headings and of styles based on them', async () => {
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

  it('keeps a number apart from the digits after it', async () => {
    const numbering =
      list(1, level(0, 'decimal', '%1', '<w:suff w:val="nothing"/>')) +
      list(2, level(0, 'decimal', '第%1条', '<w:suff w:val="nothing"/>')) +
      instance(1, 1) +
      instance(2, 2);
    expect(await textOf(item(1, 0, '5 km') + item(2, 0, '租金'), { numbering })).toBe('1 5 km\n\n第1条租金');
  });

  it('counts an empty paragraph, and no deleted or hidden one', async () => {
    const numbering = legal + instance(1, 1);
    const deleted = item(1, 0, '', '<w:rPr><w:del/></w:rPr>');
    const hidden = item(1, 0, '', '<w:rPr><w:vanish/></w:rPr>');
    expect(await textOf(item(1, 0) + deleted + hidden + item(1, 0, '') + item(1, 0), { numbering })).toBe(
      '1. x\n2.\n3. x',
    );
  });

  it.each([
    [
      'styles based on each other',
      '<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>',
      '',
    ],
    [
      'list styles of each other',
      '<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>',
      '<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="S"/></w:abstractNum><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>',
    ],
  ])('survives %s', async (_, styles, numbering) => {
    expect(await textOf(p(r('x'), '<w:pStyle w:val="A"/>') + item(2, 0), { styles, numbering })).toBe(
      'x\n\nx',
    );
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
