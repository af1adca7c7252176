import { drawn, escaped, rawPdf } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

const STEP = 14;

/** Lines of a column from the top, drawn one after another. */
const column = (x: number, y: number, lines: readonly string[]): string =>
  lines.map((line, index) => drawn(line, x, y - index * STEP)).join('');

/** Columns drawn line by line across the page. */
const acrossColumns = (xs: readonly number[], y: number, columns: readonly (readonly string[])[]): string =>
  Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, row) =>
    columns
      .map((lines, index) =>
        lines[row] === undefined ? '' : drawn(lines[row], xs[index] ?? 0, y - row * STEP),
      )
      .join(''),
  ).join('');

const HERON = ['The heron waits at the edge', 'of the pond until the frogs', 'have come out of the reeds.'];
const CRANE = ['Cranes fly over the marsh in', 'the evening, and rest where', 'the water is shallow.'];
const STORK = ['Storks build their nests on', 'the chimneys of old houses', 'near the river.'];
const GULLS = ['Gulls follow the boats into', 'the harbour every morning.'];

const ROWS = [
  ['Berth', 'Length', 'Fee per week'],
  ['East 1', '12 m', '41 crowns'],
  ['East 2', '15 m', '55 crowns'],
  ['West 1', '9 m', '30 crowns'],
];
const XS = [60, 220, 400];
const TABLE = ROWS.map((cells) => cells.join('  ')).join('\n\n');

const table = (byColumn: boolean): string => {
  const cells = ROWS.flatMap((row, r) => row.map((text, c) => ({ text, r, c })));
  if (byColumn) cells.sort((a, b) => a.c - b.c || a.r - b.r);
  return cells.map(({ text, r, c }) => drawn(text, XS[c] ?? 0, 700 - r * 20)).join('');
};

describe('the text of a PDF page', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function textOf(content: string, entries = ''): Promise<string> {
    const { document } = await reader.read(rawPdf([{ content, entries }]), { filename: 'page.pdf' });
    return document.text.slice();
  }

  it.each([
    ['three', acrossColumns([50, 230, 410], 700, [HERON, CRANE, STORK]), [HERON, CRANE, STORK]],
    [
      'three with wide gaps',
      acrossColumns([40, 220, 430], 700, [HERON, CRANE, STORK]),
      [HERON, CRANE, STORK],
    ],
    ['two short', acrossColumns([50, 330], 700, [HERON.slice(0, 2), GULLS]), [HERON.slice(0, 2), GULLS]],
    [
      'two with their own line steps',
      column(50, 700, HERON) + CRANE.map((line, index) => drawn(line, 330, 703 - index * 13)).join(''),
      [HERON, CRANE],
    ],
    ['right to left in drawing order', column(330, 700, CRANE) + column(50, 700, HERON), [HERON, CRANE]],
  ])('has columns one after another: %s', async (_, content, columns) => {
    const text = await textOf(drawn('Birds of the harbour', 50, 740, 16) + content + drawn('4', 300, 40));
    expect(text.split(/\n+/)).toEqual(['Birds of the harbour', ...columns.flat(), '4']);
  });

  it('has lines from top to bottom, though they were drawn from the bottom', async () => {
    const lines = [...HERON, ...CRANE];
    const content = lines.map((line, index) => drawn(line, 60, 700 - index * STEP));
    expect(await textOf(content.reverse().join(''))).toBe(lines.join('\n'));
  });

  it.each([
    ['row by row', table(false), ''],
    ['column by column', table(true), ''],
    ['on a page turned by 90 degrees', `q 0 1 -1 0 800 0 cm ${table(true)} Q`, '/Rotate 90'],
    ['on a page turned by 180 degrees', `q -1 0 0 -1 612 792 cm ${table(false)} Q`, '/Rotate 180'],
    ['on a page turned by 270 degrees', `q 0 -1 1 0 -200 792 cm ${table(true)} Q`, '/Rotate 270'],
    ['sideways on an upright page', `q 0 1 -1 0 800 0 cm ${table(true)} Q`, ''],
    ['sideways to the right', `q 0 -1 1 0 -200 792 cm ${table(false)} Q`, ''],
  ])('has the cells of a row on one line: %s', async (_, content, entries) => {
    expect(await textOf(content, entries)).toBe(TABLE);
  });

  it('has a value beside its label, whatever was drawn between them', async () => {
    const labels = column(60, 700, ['Invoice number', 'Date', 'Total due']);
    const values = ['INV-7731', '4 May 2023', '9,310 crowns'].map((value, index) =>
      drawn(value, 300, 698 - index * STEP),
    );
    expect(await textOf(values.join('') + labels)).toBe(
      'Invoice number  INV-7731\nDate  4 May 2023\nTotal due  9,310 crowns',
    );
  });

  it('has a wrapped cell on the line of its row', async () => {
    const content =
      drawn('Pier', 60, 700) +
      column(160, 700, ['The pier needs new piles', 'before the winter storms']) +
      drawn('4,100', 420, 700) +
      drawn('Crane', 60, 660) +
      drawn('The crane is painted', 160, 660) +
      drawn('300', 420, 660);
    expect((await textOf(content)).split(/\n+/)).toEqual([
      'Pier  The pier needs new piles before the winter storms  4,100',
      'Crane  The crane is painted  300',
    ]);
  });

  it.each([
    ['twice at one place', [0, 0]],
    ['with a shadow', [0.8, -0.8]],
    ['three times to the right', [0.3, 0]],
  ])('has text once that is drawn again: %s', async (_, [dx = 0, dy = 0]) => {
    const content = [0, 1, 2].map((at) => drawn('Harbour rules', 60 + at * dx, 700 + at * dy, 14)).join('');
    expect(await textOf(content)).toBe('Harbour rules');
  });

  it('has letters once that are drawn again one by one, and keeps double letters', async () => {
    const letters = Array.from('BALLOON');
    const content = letters.map((letter, at) => drawn(letter, 60 + at * 16, 700, 14).repeat(2)).join('');
    expect(await textOf(content)).toBe('BALLOON');
  });

  it.each([
    ['by character spacing', '/F1 14 Tf 6 Tc (HARBOUR BOARD) Tj 0 Tc'],
    ['by spaces', '/F1 14 Tf (H A R B O U R   B O A R D) Tj'],
    ['by positions', `/F1 14 Tf [${Array.from('HARBOUR BOARD', (one) => `(${one}) -500`).join(' ')}] TJ`],
  ])('has whole words in a letter-spaced heading: %s', async (_, show) => {
    const text = await textOf(`BT 1 0 0 1 60 740 Tm ${show} ET\n${column(60, 700, GULLS)}`);
    expect(text.replace(/ +/g, ' ')).toBe(`HARBOUR BOARD\n\n${GULLS.join('\n')}`);
  });

  it.each([
    ['The warden inspec-', 'ted the boats.', 'The warden inspected\nthe boats.'],
    ['The co-', 'operative owns it.', 'The co-operative\nowns it.'],
    ['In the years 2019-', '20 it was built.', 'In the years 2019-20\nit was built.'],
    ['He sailed to Saint-', 'Pierre and back.', 'He sailed to Saint-Pierre\nand back.'],
    ['All short-', 'and long-term berths.', 'All short-\nand long-term berths.'],
    ['A well-', 'known pier, a well-known fee.', 'A well-known\npier, a well-known fee.'],
    ['The light-', 'house. A lighthouse.', 'The lighthouse.\nA lighthouse.'],
    ['Part no. BX-', '4471 is sold.', 'Part no. BX-4471\nis sold.'],
    ['The ALTERNA-', 'TIVE route.', 'The ALTERNATIVE\nroute.'],
  ])('joins the word broken in "%s" with "%s"', async (first, second, expected) => {
    expect(await textOf(column(60, 700, [first, second]))).toBe(expected);
  });
});

/** Letters of Courier 12 are 7.2 points wide. As a browser does, a space without advance stands for each soft hyphen. */
const withSoftHyphens = (parts: readonly string[]): string =>
  `BT /F2 12 Tf 1 0 0 1 60 700 Tm ${parts
    .map((part) => `(${part}) Tj /Span << /ActualText <FEFF00AD> >> BDC ( ) Tj EMC ${part.length * 7.2} 0 Td`)
    .join(' ')} (of berths) Tj ET`;

describe('the columns and tables of a PDF page', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function linesOf(content: string): Promise<string[]> {
    const { document } = await reader.read(rawPdf([{ content }]), { filename: 'page.pdf' });
    return document.text.slice().split(/\n+/);
  }

  const PIER = [
    'The pier is long and its piles',
    'are old, and some are so rotten',
    'that they fell in winter.',
  ];
  const QUAY = [
    'The quay was paved with stones',
    'from the hill, which the prisoners',
    'of the fort had to carry.',
  ];

  it('has a table between the columns above and below it', async () => {
    const rows = ROWS.map((cells, r) =>
      cells.map((text, c) => drawn(text, [60, 180, 400][c] ?? 0, 600 - r * 22)).join(''),
    );
    const content =
      column(60, 700, HERON) +
      column(330, 700, CRANE) +
      rows.join('') +
      column(60, 480, PIER) +
      column(330, 480, QUAY);
    expect(await linesOf(content)).toEqual([
      ...HERON,
      ...CRANE,
      ...ROWS.map((cells) => cells.join('  ')),
      ...PIER,
      ...QUAY,
    ]);
  });

  it('has a table at the end of a column before the column beside it', async () => {
    const rows = ROWS.map((cells, r) =>
      cells.map((text, c) => drawn(text, [60, 130, 190][c] ?? 0, 640 - r * 21)).join(''),
    );
    const beside = column(330, 700, [...CRANE, ...QUAY]);
    expect(await linesOf(column(60, 700, PIER) + rows.join('') + beside)).toEqual([
      ...PIER,
      ...ROWS.map((cells) => cells.join('  ')),
      ...CRANE,
      ...QUAY,
    ]);
  });

  it('has the last lines of columns whose lines are not at the same height', async () => {
    const last =
      drawn('before the ferry came.', 60, 700 - 3 * STEP - 5) +
      drawn('and nobody paid them for it.', 330, 695 - 3 * STEP - 5);
    const [pier, quay] = [
      [...PIER.slice(0, 2), 'that they fell in the winter'],
      [...QUAY.slice(0, 2), 'of the fort had to carry'],
    ];
    expect(await linesOf(column(60, 700, pier) + column(330, 695, quay) + last)).toEqual([
      ...pier,
      'before the ferry came.',
      ...quay,
      'and nobody paid them for it.',
    ]);
  });

  it('has a justified line as text, though its gaps are as wide as between cells', async () => {
    const words = ['storms', 'have', 'broken'].map((word, at) =>
      drawn(word, [60, 118.0, 166.1][at] ?? 0, 700, 12),
    );
    const content =
      words.join('') +
      drawn('the northern pier beside us', 60, 686, 12) +
      drawn('the old lamp.', 60, 672, 12);
    expect((await linesOf(content))[0]).toBe('storms have broken');
  });

  it('has a word whole that holds soft hyphens, though spaces are drawn for them', async () => {
    expect(
      await linesOf(withSoftHyphens(['Un', 'der', 'stand', 'ing a mu', 'nic', 'i', 'pal list '])),
    ).toEqual(['Understanding a municipal list of berths']);
  });

  it('has a footnote number apart from the word before it', async () => {
    expect(await linesOf(drawn('The old pier', 60, 700, 12) + drawn('2', 122.5, 705, 7))).toEqual([
      'The old pier^2',
    ]);
  });

  it('has the words of an entry before a dot leader', async () => {
    const leader = `BT /F1 11 Tf 1 0 0 1 60 700 Tm (Rules of berths) Tj (${'. '.repeat(30)}) Tj ET\n${drawn('7', 400, 700)}`;
    expect((await linesOf(drawn('H A R B O U R', 60, 740) + leader))[1]).toMatch(
      /^Rules of berths ?\. [. ]* {2}7$/,
    );
  });
});

describe('the text of several PDF pages', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const bodies = [
    ['No boat leaves before the lamp', 'has been lit by the keeper and'],
    ['the horn has sounded twice,', 'as the old rules of the harbour'],
    ['demand. Boats under sail may', 'wait at the northern quay.'],
    ['The fee is paid on Mondays.'],
  ];
  const pages = bodies.map((lines, index) => ({
    content:
      drawn(`Page ${index + 1} of 4`, 270, 40, 9) +
      drawn('Rules of the harbour', 60, 760, 9) +
      column(60, 700, lines),
  }));

  it('has no header or footer within a sentence', async () => {
    const { document } = await reader.read(rawPdf(pages), { filename: 'rules.pdf' });
    const text = document.text.slice();
    expect(text).toContain(bodies.slice(0, 3).flat().join('\n'));
    expect(text.match(/Rules of the harbour/g)).toHaveLength(4);
    expect(text.indexOf('Page 1 of 4')).toBeGreaterThan(text.indexOf('northern quay.'));
    expect(text.indexOf('Page 4 of 4')).toBeGreaterThan(text.indexOf('on Mondays.'));
  });

  it('joins a word that is broken at the end of a page', async () => {
    const broken = [column(60, 700, ['The keeper of the light-']), column(60, 700, ['house sleeps.'])];
    const content = broken.map((body, index) => ({
      content: body + drawn(escaped(`- ${index + 1} -`), 300, 40),
    }));
    const { document } = await reader.read(rawPdf(content), { filename: 'broken.pdf' });
    expect(document.text.slice()).toContain('The keeper of the lighthouse\nsleeps.');
  });
});
