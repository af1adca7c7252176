import { contentTypes, coreProperties, relationships, xml, zip } from './archives.mjs';
import { pdfOf } from './pdf-files.mjs';

/** Subjects of tables: file name, first column, other columns, prefix of row names. */
const SUBJECTS = [
  ['harbour-dues-2024', 'Vessel', ['Berth', 'Length (m)', 'Draught (m)', 'Dues (EUR)'], 'Motor vessel'],
  ['weather-stations', 'Station', ['Altitude (m)', 'Rainfall (mm)', 'Frost days', 'Sunshine (h)'], 'Mount'],
  ['staff-training-hours', 'Employee', ['Department no.', 'Training hours', 'Courses', 'Cost (GBP)'], 'Dr'],
  ['spare-parts-catalogue', 'Part', ['Stock', 'Weight (g)', 'Delivery days', 'Price (USD)'], 'Bracket'],
  ['school-census-2023', 'School', ['Pupils', 'Teachers', 'Classrooms', 'Computers'], 'School of'],
  ['vineyard-harvest', 'Vineyard', ['Hectares', 'Tonnes', 'Sugar (Oechsle)', 'Bottles'], 'Hill'],
  ['bridge-inspections', 'Bridge', ['Year built', 'Spans', 'Load limit (t)', 'Defects'], 'Bridge at'],
  ['clinic-waiting-times', 'Clinic', ['Beds', 'Waiting days', 'Referrals', 'Cancellations'], 'Clinic'],
  ['library-loans', 'Branch', ['Members', 'Loans', 'Reservations', 'Fines (CHF)'], 'Branch'],
  ['tram-line-punctuality', 'Stop', ['Departures', 'Late departures', 'Passengers', 'Complaints'], 'Stop'],
];

/** The words of row names. They have more combinations than all tables of one subject have rows. */
const FIRST = split(
  `Alder Birch Cedar Dogwood Elm Fir Gorse Hazel Ivy Juniper Kelp Larch Maple Nettle Oak Pine Quince Rowan Sorrel Thyme`,
);
const SECOND = split(
  `bank bridge brook cliff croft dale den fell field ford gate glen grove hall heath hill hurst lake land lea
   marsh mead mill moor mouth pool port reach ridge rock`,
);
const THIRD = split(`North South East West Upper Lower Old New Great Little`);

const FORMATS = { csv, html, docx, xlsx, pdf };

/**
 * Returns files with tables, the same in every call, each with a question about one of its cells. Table names and row
 * names are unique, so that a question has one answer. Tables in the middle of the list are as large as tables at its
 * end.
 * @param sizes rows of the tables of each format; at most ten
 * @returns [{ filename, bytes, question, row: name of the row, value: content of the cell }]
 */
export async function tableFiles(sizes) {
  const files = [];
  const named = new Map(SUBJECTS.map(([subject]) => [subject, 0])); // rows so far
  for (const [number, [extension, write]] of Object.entries(FORMATS).entries()) {
    for (const [index, size] of sizes.entries()) {
      // The largest table of each format has another subject.
      const [subject, key, columns, prefix] = SUBJECTS[(index + 2 * number) % SUBJECTS.length];
      const name = `${subject}-${extension}`;
      const rows = rowsOf(size, columns.length, number * 10 + index, prefix, named.get(subject));
      named.set(subject, named.get(subject) + size);
      const row = rows[Math.floor(size * 0.6)];
      const column = (index + number) % columns.length;
      files.push({
        filename: `${name}.${extension}`,
        bytes: await write(name.replaceAll('-', ' '), [key, ...columns], rows),
        question: `What is the ${columns[column]} of ${row[0]}?`,
        row: row[0],
        value: row[column + 1],
      });
    }
  }
  return files;
}

/** Returns rows that are not in alphabetical order, with cell contents that are unique in the table. */
function rowsOf(size, columns, seed, prefix, before) {
  const names = FIRST.length * SECOND.length * THIRD.length;
  return Array.from({ length: size }, (_, index) => {
    const at = ((before + index) * 1_237) % names;
    const name = [
      prefix,
      THIRD[at % THIRD.length],
      FIRST[Math.floor(at / THIRD.length) % FIRST.length] +
        SECOND[Math.floor(at / THIRD.length / FIRST.length)],
    ].join(' ');
    const cells = Array.from({ length: columns }, (_unused, column) =>
      String(((index * 7_919 + column * 104_729 + seed * 31) % 89_989) + 1),
    );
    return [name, ...cells];
  });
}

function split(words) {
  return words.trim().split(/\s+/);
}

function csv(_title, columns, rows) {
  return Buffer.from([columns, ...rows].map((cells) => cells.join(',')).join('\n'));
}

function html(title, columns, rows) {
  const row = (cells, tag) => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return Buffer.from(
    `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><table><thead>${row(columns, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody></table></main></body></html>`,
  );
}

function docx(title, columns, rows) {
  const paragraph = (text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const row = (cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`;
  const names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  return zip({
    '[Content_Types].xml': contentTypes({
      '/word/document.xml':
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
      '/docProps/core.xml': 'application/vnd.openxmlformats-package.core-properties+xml',
    }),
    '_rels/.rels': relationships(
      ['officeDocument', 'word/document.xml'],
      ['core-properties', 'docProps/core.xml'],
    ),
    'docProps/core.xml': coreProperties({ title, creator: 'Registry' }),
    'word/document.xml': xml(
      `<w:document ${names}><w:body>${paragraph(title)}<w:tbl>${[columns, ...rows].map(row).join('')}</w:tbl></w:body></w:document>`,
    ),
  });
}

function xlsx(title, columns, rows) {
  const names =
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
  const cell = (text, row, column) => {
    const place = `${'ABCDE'[column]}${row + 1}`;
    return /^\d+$/.test(text)
      ? `<c r="${place}"><v>${text}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  };
  const sheet = [columns, ...rows].map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((text, column) => cell(text, row, column)).join('')}</row>`,
  );
  return zip({
    '[Content_Types].xml': contentTypes({
      '/xl/workbook.xml': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
      '/xl/worksheets/sheet1.xml':
        'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml',
    }),
    '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': xml(
      `<workbook ${names}><sheets><sheet name="${title}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationships(['worksheet', 'worksheets/sheet1.xml']),
    'xl/worksheets/sheet1.xml': xml(
      `<worksheet ${names}><sheetData>${sheet.join('')}</sheetData></worksheet>`,
    ),
  });
}

const ROW_HEIGHT = 12;
const WIDTHS = [170, 75, 75, 75, 75];

/** Draws each cell in its column, and repeats the header on every page. */
function pdf(title, columns, rows) {
  return pdfOf({ info: { Title: title } }, (document) => {
    const bottom = document.page.height - 80;
    let y = bottom;
    const set = (cells) => {
      let x = 60;
      for (const [index, text] of cells.entries()) {
        document.text(text, x, y, { lineBreak: false });
        x += WIDTHS[index];
      }
      y += ROW_HEIGHT;
    };
    document.fontSize(9).text(title, 60, 60);
    y = 90;
    set(columns);
    for (const row of rows) {
      if (y > bottom) {
        document.addPage();
        y = 60;
        set(columns);
      }
      set(row);
    }
  });
}
