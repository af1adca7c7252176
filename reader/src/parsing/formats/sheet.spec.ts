import { parseCsv } from './csv.js';
import { tablesOf, type SpansOf } from './sheet.js';

/** Splits a sheet into rows at line ends, and rows into cells at commas. */
const rowsOf = (sheet: string): string[][] => sheet.split('\n').map((line) => line.split(','));

describe('the tables of a sheet', () => {
  it.each([
    ['one header', 'Town,Rain\nElm,80\nOak,90', [[], 'Town,Rain', 2]],
    [
      'a title above it',
      'Rain of 2024,\nmm a month,\nTown,Rain\nElm,80',
      [['Rain of 2024', 'mm a month'], 'Town,Rain', 1],
    ],
    ['a title above a blank row', 'Rain of 2024,\n,\nTown,Rain\nElm,80', [['Rain of 2024'], 'Town,Rain', 1]],
    ['a margin', ',Rain of 2024,\n,Town,Rain\n,Elm,80', [['Rain of 2024'], ',Town,Rain', 1]],
    ['a column without a name', ',Rain\nElm,80', [[], ',Rain', 1]],
    [
      'groups of columns',
      'Town,Rain,,Sun,\n,2023,2024,2023,2024\nElm,80,81,7,8',
      [[], 'Town,Rain 2023,Rain 2024,Sun 2023,Sun 2024', 1],
    ],
    ['a column without a name in the middle', 'Town,Rain,\nElm,80,x\nOak,90,y', [[], 'Town,Rain,', 2]],
    ['blank rows between its rows', 'Town,Rain\nElm,80\n,\nOak,90\n,\nAsh,70', [[], 'Town,Rain', 3]],
    ['groups of rows with a name', 'Town,Rain\n,\nNorth,\n,\nElm,80\nOak,90', [[], 'Town,Rain', 3]],
    ['one column', 'Town\nElm\nOak', [[], 'Town', 2]],
    ['one column with gaps', 'Town\n\nElm\n\nOak', [[], 'Town', 2]],
  ])('with %s', (_, sheet, expected) => {
    const tables = tablesOf(rowsOf(sheet));
    expect(tables.map(({ lines, header, rows }) => [lines, header.join(), rows.length])).toEqual([expected]);
  });

  /** Merged cells by row number, as first and last column. */
  const merged =
    (
      rows: readonly (readonly string[])[],
      spans: Readonly<Record<number, readonly (readonly [number, number])[]>>,
    ): SpansOf =>
    (row) =>
      (spans[rows.indexOf(row)] ?? []).map(([left, right]) => ({ left, right }));

  it.each([
    [
      'quarters under years, with text below',
      'Crew,2023,,2024,\nCrew,Q1,Q2,Q1,Q2\nAda,day,night,day,off',
      {
        0: [
          [1, 2],
          [3, 4],
        ],
      },
      'Crew,2023 Q1,2023 Q2,2024 Q1,2024 Q2',
      1,
    ],
    [
      'numbers as names, beside a name that is merged over both rows',
      'Pier,Rain,,\nPier,1,2,3\nNorth,80,81,82',
      { 0: [[1, 3]] },
      'Pier,Rain 1,Rain 2,Rain 3',
      1,
    ],
    [
      'a name in the lower row only',
      ',2023,,2024,\nPier,Fee,Tax,Fee,Tax\nNorth,1,2,3,4',
      {
        0: [
          [1, 2],
          [3, 4],
        ],
      },
      'Pier,2023 Fee,2023 Tax,2024 Fee,2024 Tax',
      1,
    ],
    [
      'three rows of names',
      'Pier,2023,,,\nPier,Q1,,Q2,\nPier,Fee,Tax,Fee,Tax\nNorth,1,2,3,4',
      {
        0: [[1, 4]],
        1: [
          [1, 2],
          [3, 4],
        ],
      },
      'Pier,2023 Q1 Fee,2023 Q1 Tax,2023 Q2 Fee,2023 Q2 Tax',
      1,
    ],
    [
      'a table beside it',
      'Pier,2023,,,Keeper\nPier,Q1,Q2,,Ada\nNorth,1,2,,Bo',
      { 0: [[1, 2]] },
      'Pier,2023 Q1,2023 Q2,,Keeper',
      2,
    ],
    [
      'a merged name above one column of values',
      'Name,,Fee\nAda,,41\nBo,,42',
      { 0: [[0, 1]], 1: [[0, 1]] },
      'Name,,Fee',
      2,
    ],
    [
      'a merged name above two columns of values',
      'Name,,Fee\nAda,Holm,41\nBo,Lind,42',
      { 0: [[0, 1]] },
      'Name,,Fee',
      2,
    ],
  ] as const)('with merged header cells: %s', (_, sheet, spans, header, count) => {
    const rows = rowsOf(sheet);
    const [table] = tablesOf(rows, merged(rows, spans));
    expect([table?.header.join(), table?.rows.length]).toEqual([header, count]);
  });

  it('keep the values beside a second header row', () => {
    const rows = rowsOf('Pier,2023,,,Keeper\nPier,Q1,Q2,,Ada\nNorth,1,2,,Bo');
    expect(tablesOf(rows, merged(rows, { 0: [[1, 2]] }))[0]?.rows).toEqual([
      ['', '', '', '', 'Ada'],
      ['North', '1', '2', '', 'Bo'],
    ]);
  });

  it('are two if a row of names follows a blank row', () => {
    const sheet = 'Town,Rain\nElm,80\n,\nRivers,\n,\nRiver,Length\nAxe,35\nExe,82';
    expect(tablesOf(rowsOf(sheet))).toEqual([
      { lines: [], header: ['Town', 'Rain'], rows: [['Elm', '80']] },
      {
        lines: ['Rivers'],
        header: ['River', 'Length'],
        rows: [
          ['Axe', '35'],
          ['Exe', '82'],
        ],
      },
    ]);
  });

  it('are empty for an empty sheet', () => {
    expect(tablesOf([[], ['', ' ']])).toEqual([]);
  });

  it('may have a blank row below each of its rows', () => {
    const rows = Array.from({ length: 100_000 }, (_, row) => [[`${row}`, 'a'], []]).flat();
    expect(tablesOf([['Number', 'Letter'], [], ...rows])[0]?.rows).toHaveLength(100_000);
  });

  it('may be as long as a sheet', () => {
    const rows = Array.from({ length: 300_000 }, (_, row) => [`${row}`, 'a']);
    expect(tablesOf([['Number', 'Letter'], [], ...rows])[0]?.rows).toHaveLength(300_000);
  });
});

describe('comma-separated values', () => {
  const read = (text: string) => {
    const { text: markdown, properties } = parseCsv({
      bytes: new Uint8Array(),
      text,
      contentType: 'text/csv',
    } as Parameters<typeof parseCsv>[0]) as Awaited<ReturnType<typeof parseCsv>>;
    return { markdown, properties };
  };

  it('contain the lines above the header above the table', () => {
    const { markdown, properties } = read('Shipments,,\n\nDepot,Boxes,Crates\nOak,241,72\nElm,17,4\n');
    expect(markdown).toBe(
      'Shipments\n\n| Depot | Boxes | Crates |\n| --- | --- | --- |\n| Oak | 241 | 72 |\n| Elm | 17 | 4 |',
    );
    expect(properties).toMatchObject({ columns: ['Depot', 'Boxes', 'Crates'], row_count: 2 });
  });

  it('may have two header rows', () => {
    expect(read('Town,Rain,,Sun,\n,2023,2024,2023,2024\nElm,80,81,7,8\n')).toMatchObject({
      markdown:
        '| Town | Rain 2023 | Rain 2024 | Sun 2023 | Sun 2024 |\n| --- | --- | --- | --- | --- |\n| Elm | 80 | 81 | 7 | 8 |',
      properties: { columns: ['Town', 'Rain 2023', 'Rain 2024', 'Sun 2023', 'Sun 2024'], row_count: 1 },
    });
  });

  it('may have one column, few rows or none', () => {
    expect(read('Town\nElm\n')).toMatchObject({
      markdown: '| Town |\n| --- |\n| Elm |',
      properties: { row_count: 1 },
    });
    expect(read('Town,Rain')).toMatchObject({
      markdown: '| Town | Rain |\n| --- | --- |',
      properties: { row_count: 0 },
    });
    expect(read('').markdown).toBe('');
  });

  it('may declare their delimiter in the first line', () => {
    expect(read('sep=;\nname;price\nBolt;1,50\n')).toMatchObject({
      markdown: '| name | price |\n| --- | --- |\n| Bolt | 1,50 |',
      properties: { columns: ['name', 'price'], row_count: 1, delimiter: ';' },
    });
  });

  it('keep and count rows whose number of fields differs from the header', () => {
    const { markdown, properties } = read('a,b,c\n1,2,3\n4,5\n6,7,8,9\n');
    expect(markdown).toContain('| 4 | 5 |');
    expect(markdown).toContain('| 6 | 7 | 8 | 9 |');
    expect(properties).toMatchObject({ row_count: 3, uneven_rows: 2 });
    expect(read('a,b\n1,2\n').properties['uneven_rows']).toBeUndefined();
  });

  it('keep rows separate after a stray quote, even in the header', () => {
    expect(read('item;3" size;price\n"pipe;3;10\ncap;2;5\n').markdown).toBe(
      '| item | 3" size | price |\n| --- | --- | --- |\n| "pipe | 3 | 10 |\n| cap | 2 | 5 |',
    );
    expect(read('"item;size;price\npipe;3;10\ncap;2;5\n').properties).toMatchObject({
      columns: ['"item', 'size', 'price'],
      row_count: 2,
      delimiter: ';',
    });
  });

  it('keep every row of a long file', () => {
    const rows = Array.from({ length: 50 }, (_, row) => `town ${row},${row}`);
    const { markdown, properties } = read(['Town,Rain', ...rows].join('\n'));
    expect(properties).toMatchObject({ row_count: 50 });
    for (const row of rows) expect(markdown).toContain(`| ${row.replace(',', ' | ')} |`);
  });
});
