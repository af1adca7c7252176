import { strToU8, zipSync } from 'fflate';
import { DocumentReader } from '../document-reader.js';
import type { ParsedDocument } from '../parser.js';
import { Readers } from '../reader/readers.js';

const P = 'http://schemas.openxmlformats.org/presentationml/2006/main';
const A = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPACES = `xmlns:p="${P}" xmlns:a="${A}" xmlns:r="${OFFICE}" xmlns:mc="urn:mc"`;

const paragraphs = (text: string): string =>
  text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('');
const place = ([x, y, width, height]: readonly number[]): string =>
  `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="${width}" cy="${height}"/></a:xfrm>`;

/** In inches: left, top, width, height. */
type Place = readonly [number, number, number, number];
const emu = (inches: Place): number[] => inches.map((each) => each * 914_400);

const shape = (text: string, at?: Place, placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="a"/><p:cNvSpPr/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr>${at === undefined ? '' : place(emu(at))}</p:spPr><p:txBody>${paragraphs(text)}</p:txBody></p:sp>`;
const frame = (data: string, at: Place): string =>
  `<p:graphicFrame><p:nvGraphicFramePr/>${place(emu(at)).replaceAll('a:xfrm', 'p:xfrm')}<a:graphic><a:graphicData>${data}</a:graphicData></a:graphic></p:graphicFrame>`;
const group = (shapes: string, at?: Place): string =>
  `<p:grpSp><p:nvGrpSpPr/><p:grpSpPr>${at === undefined ? '' : place(emu(at))}</p:grpSpPr>${shapes}</p:grpSp>`;
const part = (name: string, shapes: string, attributes = ''): string =>
  `<p:${name} ${SPACES} ${attributes}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>${shapes}</p:spTree></p:cSld></p:${name}>`;
const relationships = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${Object.entries(targets)
    .map(([type, target]) => `<Relationship Id="${type}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

interface Slide {
  readonly shapes: string;
  readonly attributes?: string;
  readonly related?: Readonly<Record<string, string>>;
}

function presentation(
  slides: readonly Slide[],
  others: Readonly<Record<string, string | Uint8Array>> = {},
): Uint8Array {
  const parts: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
    'ppt/presentation.xml': `<p:presentation ${SPACES}><p:sldIdLst>${slides.map((_, n) => `<p:sldId id="${256 + n}" r:id="s${n}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${slides.map((_, n) => `<Relationship Id="s${n}" Type="${OFFICE}/slide" Target="slides/slide${n}.xml"/>`).join('')}</Relationships>`,
    ...others,
  };
  for (const [n, { shapes, attributes, related = {} }] of slides.entries()) {
    parts[`ppt/slides/slide${n}.xml`] = part('sld', shapes, attributes);
    parts[`ppt/slides/_rels/slide${n}.xml.rels`] = relationships(related);
  }
  return zipSync(
    Object.fromEntries(
      Object.entries(parts).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );
}

describe('a presentation', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const read = async (...parts: Parameters<typeof presentation>): Promise<ParsedDocument> => {
    const { document } = await reader.read(presentation(...parts), { filename: 'birds.pptx' });
    return { ...document, text: document.text.slice() };
  };
  const blocksOf = async (shapes: string, others?: Readonly<Record<string, string>>): Promise<string[]> =>
    (await read([{ shapes }], others)).text.split('\n\n');

  it('is read in rows from the top, each from the left, the title first', async () => {
    const shapes = [
      shape('bottom', [1, 5, 2, 1]),
      shape('right', [5, 1.9, 3, 1]),
      shape('left, slightly lower', [1, 2, 3, 2]),
      shape('below it', [5, 3.2, 3, 0.4]),
      shape('without a position'),
      shape('Title', [1, 6, 8, 1], '<p:ph type="ctrTitle"/>'),
    ];
    expect(await blocksOf(shapes.join(''))).toEqual([
      '# Title',
      'left, slightly lower',
      'right',
      'below it',
      'bottom',
      'without a position',
    ]);
  });

  it('keeps the shapes of a group together, in their own order', async () => {
    const inner = shape('second', [0, 9, 1, 1]) + group(shape('first', [0, 1, 1, 1]));
    expect(await blocksOf(shape('last', [0, 4, 9, 1]) + group(inner, [5, 2, 2, 2]))).toEqual([
      'first',
      'second',
      'last',
    ]);
  });

  it('inherits positions from the layout, then from the master', async () => {
    const [upper, lower] = ['<p:ph idx="1"/>', '<p:ph type="obj" idx="2"/>'];
    const { text } = await read(
      [
        {
          shapes:
            shape('lower', undefined, lower) +
            shape('middle', [1, 3, 8, 1]) +
            shape('upper', undefined, upper),
          related: { slideLayout: '../slideLayouts/slideLayout1.xml' },
        },
      ],
      {
        'ppt/slideLayouts/slideLayout1.xml': part(
          'sldLayout',
          shape('prompt', undefined, upper) + shape('prompt', [1, 5, 8, 1], lower),
        ),
        'ppt/slideLayouts/_rels/slideLayout1.xml.rels': relationships({
          slideMaster: '../slideMasters/slideMaster1.xml',
        }),
        'ppt/slideMasters/slideMaster1.xml': part(
          'sldMaster',
          shape('prompt', [1, 1, 8, 1], '<p:ph type="body"/>'),
        ),
      },
    );
    expect(text).toBe('upper\n\nmiddle\n\nlower');
  });

  it('contains texts of layouts and footers on slides that show them, and repeated texts once', async () => {
    const footer = shape('Harbour Trust', [1, 7, 2, 0.3], '<p:ph type="ftr" idx="11"/>');
    const number = shape('7', [8, 7, 1, 0.3], '<p:ph type="sldNum" idx="12"/>');
    const related = { slideLayout: '../slideLayouts/slideLayout1.xml' };
    const { text, pages } = await read(
      [
        { shapes: shape('one', [1, 1, 1, 1]) + footer + number, related },
        { shapes: shape('two', [1, 1, 1, 1]) + footer },
        { shapes: shape('three', [1, 1, 1, 1]) + footer },
        { shapes: shape('four', [1, 1, 1, 1]), related },
        { shapes: shape('five', [1, 1, 1, 1]), related, attributes: 'showMasterSp="0"' },
      ],
      { 'ppt/slideLayouts/slideLayout1.xml': part('sldLayout', shape('Part of the appendix', [1, 0, 8, 1])) },
    );
    expect(pages.map(({ start, end }) => text.slice(start, end))).toEqual([
      'one\n\nHarbour Trust\n\nPart of the appendix',
      'two',
      'three',
      'four\n\nPart of the appendix',
      'five',
    ]);
  });

  it('repeats a table cell merged over rows, and marks superscripts', async () => {
    const cell = (text: string, attributes = ''): string =>
      `<a:tc ${attributes}><a:txBody>${paragraphs(text)}</a:txBody></a:tc>`;
    const power =
      '<a:tc><a:txBody><a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r></a:p></a:txBody></a:tc>';
    const rows = [
      cell('Depot') + cell('Seats'),
      cell('North', 'rowSpan="2"') + cell('40'),
      cell('', 'vMerge="1"') + power,
    ];
    const table = `<a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join('')}</a:tbl>`;
    expect((await read([{ shapes: frame(table, [1, 1, 5, 5]) }])).text).toBe(
      '| Depot | Seats |\n| --- | --- |\n| North | 40 |\n| North | 10^6 |',
    );
  });

  it('contains diagrams, embedded files, notes and comments', async () => {
    const point = (id: string, text: string): string =>
      `<dgm:pt modelId="${id}"><dgm:t>${paragraphs(text)}</dgm:t></dgm:pt>`;
    const { text, properties } = await read(
      [
        {
          shapes:
            frame('<p:oleObj r:id="package" progId="Text"/>', [1, 4, 5, 1]) +
            frame('<dgm:relIds xmlns:dgm="urn:dgm" r:dm="diagramData" r:lo="x"/>', [1, 1, 5, 1]),
          attributes: 'show="0"',
          related: {
            package: '../embeddings/log.txt',
            diagramData: '../diagrams/data1.xml',
            notesSlide: '../notesSlides/notesSlide1.xml',
            comments: '../comments/comment1.xml',
          },
        },
      ],
      {
        'ppt/embeddings/log.txt': 'An embedded log of the harbour.',
        'ppt/diagrams/data1.xml': `<dgm:dataModel xmlns:dgm="urn:dgm" ${SPACES}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point('b', 'second')}${point('a', 'first')}${point('c', 'below the first')}</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="b" srcOrd="1"/><dgm:cxn srcId="0" destId="a" srcOrd="0"/><dgm:cxn srcId="a" destId="c" srcOrd="0"/><dgm:cxn srcId="c" destId="a" srcOrd="0"/></dgm:cxnLst></dgm:dataModel>`,
        'ppt/notesSlides/notesSlide1.xml': part(
          'notes',
          shape('Mention the strike.', undefined, '<p:ph type="body"/>'),
        ),
        'ppt/comments/comment1.xml': `<p:cmLst ${SPACES}><p:cm><p:text>Is this so?</p:text></p:cm></p:cmLst>`,
      },
    );
    expect(text).toBe(
      'first\n- below the first\nsecond\n\nAn embedded log of the harbour.\n\nNotes: Mention the strike.\n\nComment: Is this so?',
    );
    expect(properties).toMatchObject({
      hidden_slides: [1],
      embedded_files: [{ filename: 'log.txt', size: 31, content_type: 'text/plain' }],
    });
  });

  it('names an unreadable embedded file on two slides once', async () => {
    const slide = {
      shapes: shape('Text') + frame('<p:oleObj r:id="oleObject" progId="Equation"/>', [1, 4, 5, 1]),
      related: { oleObject: '../embeddings/oleObject1.bin' },
    };
    const { text, properties } = await read([slide, slide], {
      'ppt/embeddings/oleObject1.bin': Uint8Array.of(0, 1, 2, 3),
    });
    expect(text).toBe('Text\n\nText');
    expect(properties['embedded_files']).toEqual([
      { filename: 'oleObject1.bin', size: 4, error: expect.stringMatching(/neither text nor/) as string },
    ]);
  });

  it('contains equations in their paragraph, with their structure', async () => {
    const m = (name: string, inside: string): string => `<m:${name}>${inside}</m:${name}>`;
    const r = (text: string): string => m('r', m('t', text));
    const power = m('sSup', m('e', r('10')) + m('sup', r('6')));
    const half = m('f', m('num', r('a+b')) + m('den', r('2')));
    const inLine = `<a14:m>${m('oMath', power)}</a14:m>`;
    const below = `<a14:m>${m('oMathPara', m('oMath', r('x=') + half) + m('oMath', r('y=1')))}</a14:m>`;
    const run = (text: string): string => `<a:r><a:t>${text}</a:t></a:r>`;
    const equations = shape('').replace(
      '<a:p><a:r><a:t></a:t></a:r></a:p>',
      `<a:p>${run('Some ')}${inLine}${run(' cells')}</a:p><a:p>${below}</a:p>`,
    );
    const alternatives = `<mc:AlternateContent><mc:Choice Requires="a14">${equations}</mc:Choice><mc:Fallback>${shape('[picture]')}</mc:Fallback></mc:AlternateContent>`;
    expect(await blocksOf(alternatives)).toEqual(['Some 10^6 cells\nx=\\frac{a+b}{2}\ny=1']);
  });

  it('contains alternative texts written by a person', async () => {
    const picture = (text: string): string =>
      `<p:pic><p:nvPicPr><p:cNvPr id="4" name="Picture 3" descr="${text}"/><p:nvPr/></p:nvPicPr></p:pic>`;
    const texts = [
      'Map of the harbour',
      'IMG_0042.jpg',
      'Picture 3',
      'A boat. Description automatically generated',
      'A boat on water\n\nAI-generated content may be incorrect.',
      'Ein Boot\n\nKI-generierte Inhalte können fehlerhaft sein.',
    ];
    expect(await blocksOf(texts.map(picture).join(''))).toEqual(['Map of the harbour']);
  });

  it('contains all of 20,000 shapes', async () => {
    const shapes = Array.from({ length: 20_000 }, (_, n) => shape(`shape ${n}`, [n % 7, 20_000 - n, 1, 0.1]));
    const blocks = await blocksOf(shapes.join(''));
    expect([blocks.length, blocks[0], blocks.at(-1)]).toEqual([20_000, 'shape 19999', 'shape 0']);
  });

  it('is rejected if groups nest too deeply', async () => {
    const nested = `${'<p:grpSp>'.repeat(10_000)}${'</p:grpSp>'.repeat(10_000)}`;
    await expect(read([{ shapes: nested }])).rejects.toThrow('nested more than');
  });
});
