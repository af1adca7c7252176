import { strToU8, zipSync } from 'fflate';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** Number formats of the styles 0, 1, 2... */
const CODES = ['General', 'yyyy-mm-dd', 'dd/mm/yyyy hh:mm', '0.0 "days"'];

/** A workbook of one sheet with these rows; the first shared strings are `heron` and `dawn`. */
function workbook(
  rows: string,
  {
    codes = CODES,
    after = '',
    parts: others = {},
  }: { codes?: readonly string[]; after?: string; parts?: Record<string, string> } = {},
): Uint8Array {
  const formats = codes.map(
    (code, id) => `<numFmt numFmtId="${200 + id}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
  );
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Birds" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="a" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="c" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><cols><col min="1" max="16384"/></cols><sheetData>${rows}</sheetData>${after}</worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${SHEET}"><si><t>heron</t></si><si><t>dawn</t></si><si><r><t>grey_x005F_</t></r><r><t xml:space="preserve"> heron</t></r><rPh sb="0" eb="1"><t>said so</t></rPh></si></sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${SHEET}"><numFmts>${formats.join('')}</numFmts><cellXfs>${codes.map((_, id) => `<xf numFmtId="${200 + id}"/>`).join('')}<xf numFmtId="22"/><xf><extLst><ext><xfComplement i="0"/></ext></extLst></xf></cellXfs></styleSheet>`,
    ...others,
  };
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, strToU8(content)])),
  );
}

/** Parses in a separate process with its memory limit, as the service does. */
describe('a workbook', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const textOf = async (...parts: Parameters<typeof workbook>): Promise<string> =>
    (await reader.read(workbook(...parts), { filename: 'birds.xlsx' })).document.text.slice();

  it('keeps every value of a sheet used up to its last cell', async () => {
    const text = await textOf(
      '<row r="1" spans="1:3"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>time &gt; place</t></is></c></row>' +
        '<row r="70000"><c r="C70000" t="s"><v>1</v></c><c r="XFC70000" s="1"/></row>' +
        '<row r="1048575"/>' +
        `<row r='1048576'><c r='C1048576' s='1'><v>45000</v></c><c r="XFD1048576"><v>2.5</v></c></row>`,
    );
    expect(text).toBe(
      '## Birds\n\n| heron | time > place |  |\n| --- | --- | --- |\n|  | dawn |  |\n|  | 2023-03-15 | 2.5 |',
    );
  });

  it('keeps values in rows and cells without references', async () => {
    const text = await textOf(
      '<row><c><v>1</v></c><c><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>',
    );
    expect(text).toBe('## Birds\n\n| 1 | 2 |  |\n| --- | --- | --- |\n|  |  | 3 |');
  });

  it('keeps the empty columns of an ordinary sheet', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row><row r="3"><c r="C3"><v>3</v></c></row>',
    );
    expect(text).toBe('## Birds\n\n| 1 |  | 2 |\n| --- | --- | --- |\n|  |  | 3 |');
  });

  it('formats values by type and number format', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1" t="s"><v>2</v></c><c r="B1" t="str"><f>A1</f><v>a | b</v></c></row>' +
        '<row r="2"><c r="A2" s="2"><v>45000.5</v></c><c r="B2" s="3"><v>45000.5</v></c></row>' +
        '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c></row>' +
        '<row r="4"><c r="A4" t="d"><v>2024-02-29T00:00:00Z</v></c><c r="B4"><v>1E3</v></c></row>',
    );
    expect(text.split('\n').slice(2)).toEqual([
      '| grey_ heron | a \\| b |',
      '| --- | --- |',
      '| 2023-03-15 12:00 | 45000.5 days |',
      '| TRUE | #DIV/0! |',
      '| 2024-02-29 | 1000 |',
    ]);
  });

  it.each([
    ['0.0%', 0.075, '7.5%'],
    ['#,##0.00 "€"', 1234.5, '1,234.50 €'],
    ['#,##0.00\\ [$€-407]', -1234.5, '-1,234.50 €'],
    ['0.00', 1.005, '1.01'],
    ['0.00', -0.001, '0.00'],
    ['0', 1234567890123456, '1234567890123456'],
    ['#,##0', 999_999.5, '1,000,000'],
    ['#,##0_);(#,##0)', -42, '(42)'],
    ['h:mm', 0.6041666666666666, '14:30'],
    ['[h]:mm', 1.25, '30:00'],
    ['00000', 1234, '01234'],
    ['0" kg"', 5, '5 kg'],
    ['# ?/?', 3.5, '3 1/2'],
    ['0.00E+00', 1.23e-6, '1.23E-06'],
    ['[>100]"large";"small"', 50, 'small'],
    ['m/d/yy', 46096, '2026-03-15'],
    ['dd/mm/yyyy hh:mm:ss', 46096.60416666666, '2026-03-15 14:30:00'],
    ['mmm-yy', 46096, 'Mar-2026'],
    ['[$-407]d. mmmm yyyy', 46096, '15. März 2026'],
    ['General', 0.1 + 0.2, '0.3'],
    ['0"unclosed', 7, '7'],
    ['0'.repeat(10_000), 8, '8'],
  ])('formats a number with %j', async (code, value, shown) => {
    const row = `<row r="1"><c r="A1" s="0"><v>${value}</v></c></row>`;
    expect(await textOf(row, { codes: [code] })).toBe(`## Birds\n\n| ${shown} |\n| --- |`);
  });

  it('is empty if the format hides the value, and formats text by its section', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="0"><v>99</v></c><c r="C1" s="1" t="s"><v>1</v></c></row>',
      { codes: [';;;', '0;0;0;"at "@'] },
    );
    expect(text).toBe('## Birds\n\n| heron |  | at dawn |\n| --- | --- | --- |');
  });

  it('supports built-in formats, check boxes, and formulas without a cached value', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1" s="4"><v>46096.5</v></c><c r="B1" t="b" s="5"><v>1</v></c><c r="C1" t="b" s="5"><v>0</v></c><c r="D1"><f>SUM(A1:A2)</f><v/></c></row>',
    );
    expect(text).toBe(
      '## Birds\n\n| 2026-03-15 12:00 | [x] | [ ] | =SUM(A1:A2) |\n| --- | --- | --- | --- |',
    );
  });

  it('separates superscripts and subscripts from their base', async () => {
    const run = (position: string, text: string): string =>
      `<r><rPr><vertAlign val="${position}"/></rPr><t>${text}</t></r>`;
    const text = await textOf(
      `<row r="1"><c r="A1" t="inlineStr"><is><r><t>10</t></r>${run('superscript', '1')}${run('superscript', '2')}<r><t xml:space="preserve"> cells of H</t></r>${run('subscript', '2')}<r><t>O</t></r></is></c></row>`,
    );
    expect(text).toContain('| 10^12 cells of H_2O |');
  });

  it('repeats a cell merged over rows in each row with content, but not in further columns', async () => {
    const cell = (place: string, text: string): string =>
      `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const text = await textOf(
      `<row r="1">${cell('A1', 'Quarter report')}</row>` +
        `<row r="2">${cell('A2', 'Depot')}${cell('B2', 'Bus')}</row>` +
        `<row r="3">${cell('A3', 'North')}${cell('B3', 'A1')}</row><row r="4">${cell('B4', 'A2')}</row><row r="6"><c r="A6"/></row>`,
      {
        after:
          '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A3:A1048576"/><mergeCell ref="A4:A9"/><mergeCell ref="B9"/></mergeCells>',
      },
    );
    expect(text).toBe(
      '## Birds\n\nQuarter report\n\n| Depot | Bus |\n| --- | --- |\n| North | A1 |\n| North | A2 |',
    );
  });

  it('contains text boxes, form controls and comments below the tables', async () => {
    const box = (id: number, text: string): string =>
      `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="${id}" name="box"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
    const text = await textOf('<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2"><v>44</v></c></row>', {
      after: `<controls xmlns:r="${OFFICE}"><control shapeId="7" r:id="p"/></controls>`,
      parts: {
        'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="d" Type="${OFFICE}/drawing" Target="../drawings/drawing1.xml"/><Relationship Id="p" Type="${OFFICE}/ctrlProp" Target="../ctrlProps/ctrlProp1.xml"/><Relationship Id="c" Type="${OFFICE}/comments" Target="../comments1.xml"/><Relationship Id="t" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threaded1.xml"/></Relationships>`,
        'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="urn:xdr" xmlns:a="urn:a" xmlns:mc="urn:mc">${box(6, 'Wading birds')}<mc:AlternateContent><mc:Choice>${box(7, 'Ringed')}</mc:Choice><mc:Fallback>${box(7, 'Ringed')}</mc:Fallback></mc:AlternateContent></xdr:wsDr>`,
        'xl/ctrlProps/ctrlProp1.xml': `<formControlPr xmlns="urn:f" objectType="CheckBox" checked="Checked"/>`,
        'xl/comments1.xml': `<comments xmlns="${SHEET}"><commentList><comment ref="B2"><text><r><t>copy for older programs</t></r></text></comment><comment ref="A2"><text><t>Grey.</t></text></comment></commentList></comments>`,
        'xl/threaded1.xml':
          '<ThreadedComments xmlns="urn:t"><threadedComment ref="B2"><text>Counted twice</text></threadedComment></ThreadedComments>',
      },
    });
    expect(text).toBe(
      '## Birds\n\n| heron | 44 |\n| --- | --- |\n\nWading birds\n\n[x] Ringed\n\nComments:\n\n- A2 (heron): Grey.\n- B2 (heron, 44): Counted twice',
    );
  });

  it('marks hidden sheets and counts hidden rows and columns', async () => {
    const bytes = workbook(
      '<row r="1" hidden="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c></row>',
      {
        after: '<cols><col min="2" max="16384" hidden="1"/></cols>',
        parts: {
          'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><workbookPr date1904="1"/><sheets><sheet name="Birds" state="veryHidden" r:id="a"/></sheets></workbook>`,
        },
      },
    );
    const { document } = await reader.read(bytes, { filename: 'birds.xlsx' });
    expect(document.text.slice()).toContain('## Birds (hidden)\n\n| 1 |  | 2 |');
    expect(document.properties['sheets']).toEqual([
      { name: 'Birds', row_count: 2, hidden: true, hidden_rows: 1, hidden_columns: 1 },
    ]);
  });

  it('reads dates of the 1904 date system', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1" s="1"><v>44634</v></c><c r="B1" s="0"><v>1.25</v></c><c r="C1" s="2"><v>44634</v></c></row>',
      {
        codes: ['[h]:mm', 'yyyy-mm-dd', 'mmmm yyyy'],
        parts: {
          'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><workbookPr date1904="1"/><sheets><sheet name="Birds" r:id="a"/></sheets></workbook>`,
        },
      },
    );
    expect(text).toContain('| 2026-03-15 | 30:00 | March 2026 |');
  });

  it('limits the text added by merged cells', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, at) =>
        `<row r="${at + 1}">${at === 0 ? `<c r="A1" t="inlineStr"><is><t>${'long '.repeat(1_000)}</t></is></c>` : ''}<c r="B${at + 1}"><v>${at}</v></c></row>`,
    );
    const text = await textOf(rows.join(''), {
      after: `<mergeCells>${'<mergeCell ref="A1:A1048576"/>'.repeat(100_000)}</mergeCells>`,
    });
    expect(text.length).toBeLessThan(3_000_000);
    expect(text.endsWith('|  | 19999 |')).toBe(true);
  });

  it('rejects a truncated sheet', async () => {
    await expect(textOf('<row r="1"><c r="A1">')).rejects.toThrow('not well-formed');
  });
});
