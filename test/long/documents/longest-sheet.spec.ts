import { strToU8, zipSync } from 'fflate';
import { DocumentReader } from '../../../reader/src/parsing/document-reader.js';
import { Readers } from '../../../reader/src/parsing/reader/readers.js';

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

const ROWS = 200_000;

it('reads a sheet of 200,000 rows', async () => {
  const rows = Array.from(
    { length: ROWS },
    (_, at) =>
      `<row r="${at + 1}"><c r="A${at + 1}"><v>${at}</v></c><c r="B${at + 1}"><v>${at * 7}</v></c></row>`,
  );
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Birds" sheetId="1" r:id="a"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="a" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><sheetData>${rows.join('')}</sheetData></worksheet>`,
  };
  const bytes = zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, content]) => [name, strToU8(content)])),
  );
  const readers = new Readers();
  try {
    const { document } = await new DocumentReader(readers).read(bytes, { filename: 'birds.xlsx' });
    expect(document.text.slice().endsWith('| 199999 | 1399993 |')).toBe(true);
  } finally {
    await readers.close();
  }
});
