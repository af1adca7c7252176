import { strToU8, zipSync } from 'fflate';
import { readSettings } from '../../config/read-settings.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** A workbook of one sheet with these rows; style 1 is a date, the shared strings are `heron` and `dawn`. */
function workbook(rows: string): Uint8Array {
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Birds" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="a" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="c" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><cols><col min="1" max="16384"/></cols><sheetData>${rows}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${SHEET}"><si><t>heron</t></si><si><t>dawn</t></si><si><r><t>grey_x005F_</t></r><r><t xml:space="preserve"> heron</t></r><rPh sb="0" eb="1"><t>said so</t></rPh></si></sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${SHEET}"><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/><numFmt numFmtId="165" formatCode="0.0 &quot;days&quot;"/></numFmts><cellXfs count="4"><xf/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
  };
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, strToU8(content)])),
  );
}

/** In a reader, as the service parses, with its bound on memory. */
describe('a workbook', () => {
  const readers = new Readers(readSettings({}));
  const reader = new DocumentReader(readers);
  afterAll(() => readers.onModuleDestroy());

  const textOf = async (rows: string): Promise<string> =>
    (await reader.read(workbook(rows), { filename: 'birds.xlsx' })).document.text.slice();

  it('keeps every value of a sheet that is used up to its far corner', async () => {
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

  it('keeps them where rows and cells do not say where they stand', async () => {
    const text = await textOf(
      '<row><c><v>1</v></c><c><v>2</v></c></row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>',
    );
    expect(text).toBe('## Birds\n\n| 1 | 2 |  |\n| --- | --- | --- |\n|  |  | 3 |');
  });

  it('keeps the empty columns of a sheet of an ordinary size', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row><row r="3"><c r="C3"><v>3</v></c></row>',
    );
    expect(text).toBe('## Birds\n\n| 1 |  | 2 |\n| --- | --- | --- |\n|  |  | 3 |');
  });

  it('prints values by their type and format', async () => {
    const text = await textOf(
      '<row r="1"><c r="A1" t="s"><v>2</v></c><c r="B1" t="str"><f>A1</f><v>a | b</v></c></row>' +
        '<row r="2"><c r="A2" s="2"><v>45000.5</v></c><c r="B2" s="3"><v>45000.5</v></c></row>' +
        '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c></row>' +
        '<row r="4"><c r="A4" t="d"><v>2024-02-29T00:00:00Z</v></c><c r="B4"><v>1E3</v></c></row>',
    );
    expect(text.split('\n').slice(2)).toEqual([
      '| grey_ heron | a \\| b |',
      '| --- | --- |',
      '| 2023-03-15T12:00:00.000Z | 45000.5 |',
      '| true |  |',
      '| 2024-02-29 | 1000 |',
    ]);
  });

  it('reads a sheet of as many rows as there are', async () => {
    const rows = Array.from(
      { length: 200_000 },
      (_, at) =>
        `<row r="${at + 1}"><c r="A${at + 1}"><v>${at}</v></c><c r="B${at + 1}"><v>${at * 7}</v></c></row>`,
    );
    const text = await textOf(rows.join(''));
    expect(text.endsWith('| 199999 | 1399993 |')).toBe(true);
  });

  it('refuses a sheet that is cut off', async () => {
    await expect(textOf('<row r="1"><c r="A1">')).rejects.toThrow('not well-formed');
  });
});
