import { strToU8, zipSync } from 'fflate';
import { docx } from './word-document.js';

/** A file that is hard to read for its size. */
export interface WorstFile {
  readonly name: string;
  readonly filename: string;
  /** @param size approximate size in bytes, before compression */
  make(size: number): Uint8Array;
}

const repeat = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length));
const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: Math.ceil(count) }, (_, index) => item(index)).join('');

const text = (filename: string, name: string, make: (size: number) => string): WorstFile => ({
  name: `${filename.split('.').at(-1) ?? ''}: ${name}`,
  filename,
  make: (size) => strToU8(make(size)),
});

const zip = (
  filename: string,
  name: string,
  make: (size: number) => Readonly<Record<string, string>>,
): WorstFile => ({
  name: `${filename.split('.').at(-1) ?? ''}: ${name}`,
  filename,
  make: (size) =>
    zipSync(Object.fromEntries(Object.entries(make(size)).map(([part, xml]) => [part, strToU8(xml)]))),
});

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const workbook = (rows: string, after = ''): Readonly<Record<string, string>> => ({
  '[Content_Types].xml':
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
  'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels':
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData>${after}</worksheet>`,
});

const openDocument = (kind: string, body: string): Readonly<Record<string, string>> => ({
  mimetype: `application/vnd.oasis.opendocument.${kind}`,
  'content.xml': `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
});

const letters = (column: number): string =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26));

const MAIL = 'From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n';
const MIXED = `${MAIL}Content-Type: multipart/mixed; boundary=b\r\n\r\n`;

/** The worst known files of each grammar that the reader parses itself. */
export const WORST_FILES: readonly WorstFile[] = [
  text('a.csv', 'one wide row', (size) => repeat('1,', size)),
  text('a.csv', 'wide header and rows', (size) => {
    const columns = Math.ceil(size / 12);
    return `${list(columns, (at) => `column${at},`)}\n${'1,'.repeat(columns)}\n${'2,'.repeat(columns)}`;
  }),
  text('a.csv', 'wide header with gaps', (size) => {
    const columns = Math.ceil(size / 6);
    return `2023${','.repeat(columns)}\n${list(columns, (at) => `Q${at % 9},`)}\n${'2,'.repeat(columns)}`;
  }),
  text('a.csv', 'gaps without a name', (size) => {
    const columns = Math.ceil(size / 6);
    return `a${','.repeat(columns)}\n,${'1,'.repeat(columns)}\n${'2,'.repeat(columns)}`;
  }),
  text('a.csv', 'only quotes', (size) => repeat('"', size)),
  text('a.csv', 'quotes and commas', (size) => repeat('",', size)),
  text('a.csv', 'quotes never closed', (size) => `a,b\n${repeat('x,"y\n', size)}`),
  text('a.csv', 'inner quotes', (size) => `a,b\n${repeat('"a "b', size)}`),
  text('a.csv', 'quotes over lines', (size) => `a,b\n${repeat('""x\n"', size)}`),
  text('a.csv', 'escaped quotes', (size) => `a,b\n${repeat('"a\\"', size)}`),
  text('a.csv', 'quote and spaces', (size) => `a,b\n${repeat('"a" ', size)}`),
  text('a.csv', 'wide row above narrow rows', (size) => {
    return `a,b\n${','.repeat(size / 2)}x\n${repeat('1,2\n', size / 2)}`;
  }),
  text('a.json', 'wide', (size) => `[${repeat('1,', size)}1]`),
  text('a.json', 'deep', (size) => `${repeat('[', size / 2)}${repeat(']', size / 2)}`),
  text('a.json', 'many keys', (size) => `{${list(size / 14, (at) => `"k${at}":"v",`)}"z":1}`),
  text('a.json', 'rows with other keys', (size) => `[${list(size / 14, (at) => `{"k${at}":1},`)}1]`),
  text('a.jsonl', 'lines never closed', (size) => repeat('{"a":\n', size)),
  text('a.html', 'elements never closed', (size) => repeat('<div>x', size)),
  text('a.html', 'formatting never closed', (size) => repeat('<p><b>x', size)),
  text('a.html', 'nested lists', (size) => repeat('<ul><li>x', size)),
  text('a.html', 'nested tables', (size) => repeat('<table><tr><td>x', size)),
  text(
    'a.html',
    'spans',
    (size) => `<table>${repeat('<tr><td colspan=1000 rowspan=1000>x</td></tr>', size)}`,
  ),
  text('a.html', 'one wide row', (size) => `<table><tr>${repeat('<td>x</td>', size)}</table>`),
  text('a.html', 'attributes', (size) => `<p ${list(size / 9, (at) => `a${at}=1 `)}>x</p>`),
  text('a.html', 'styles', (size) => {
    return `<style>${list(size / 40, (at) => `.a${at}{display:none}`)}</style>${list(size / 40, (at) => `<i class=a${at}>x</i>`)}y`;
  }),
  text(
    'a.xml',
    'deep',
    (size) => `<?xml version="1.0"?>${repeat('<a>', size / 2)}x${repeat('</a>', size / 2)}`,
  ),
  text('a.xml', 'never closed', (size) => `<?xml version="1.0"?>${repeat('<a>', size)}`),
  text('a.xml', 'siblings', (size) => `<?xml version="1.0"?><a>${repeat('<b>x</b>', size)}</a>`),
  text('a.md', 'emphasis', (size) => `# x\n${repeat('*a **b ', size)}`),
  text('a.md', 'brackets', (size) => `# x\n${repeat('![[](', size)}`),
  text('a.md', 'quotes', (size) => `# x\n${repeat('> ', size)}y`),
  text('a.md', 'list markers', (size) => `# x\n${repeat('- ', size)}y`),
  text('a.md', 'pipes', (size) => `# x\n| a |\n| - |\n${repeat('|', size)}`),
  text('a.md', 'fences', (size) => `# x\n${repeat('```\n~~~\n', size)}`),
  text('a.md', 'headings', (size) => repeat('# x\n', size)),
  text('a.md', 'front matter', (size) => `---\n${repeat('a: >-\n', size)}`),
  text('a.md', 'comments', (size) => `# x\n${repeat('<!-- ', size)}`),
  text('a.txt', 'one word', (size) => repeat('a', size)),
  text('a.txt', 'spaces', (size) => `x${repeat(' ', size)}y`),
  text('a.txt', 'line ends', (size) => `x${repeat('\n', size)}y`),
  text('a.txt', 'starts of embedded files', (size) => repeat('data:image/png;base64,', size)),
  text('a.srt', 'tags', (size) => `1\n00:00:01,000 --> 00:00:02,000\n${repeat('<i', size)}`),
  text('a.srt', 'cues', (size) => repeat('1\n00:00:01,000 --> 00:00:02,000\n<i>x\n\n', size)),
  text('a.ics', 'folded lines', (size) => {
    return `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x\r\n${repeat(' y\r\n', size)}END:VEVENT\r\nEND:VCALENDAR`;
  }),
  text(
    'a.ics',
    'events never closed',
    (size) => `BEGIN:VCALENDAR\r\n${repeat('BEGIN:VEVENT\r\nSUMMARY:x\r\n', size)}`,
  ),
  text(
    'a.eml',
    'parts',
    (size) => `${MIXED}${repeat('--b\r\nContent-Type: text/plain\r\n\r\nx\r\n', size)}--b--`,
  ),
  text(
    'a.eml',
    'HTML parts',
    (size) => `${MIXED}${repeat('--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n', size)}--b--`,
  ),
  text('a.eml', 'headers', (size) => `From: a@example.org\r\n${repeat('X-A: b\r\n', size)}\r\nx`),
  text(
    'a.eml',
    'encoded words',
    (size) => `From: a@example.org\r\nSubject: ${repeat('=?utf-8?q?x?= ', size)}\r\n\r\nx`,
  ),
  text(
    'a.eml',
    'addresses',
    (size) => `From: a@example.org\r\nTo: ${repeat('"a" <a@example.org>, ', size)}\r\n\r\nx`,
  ),
  text('a.eml', 'open brackets', (size) => `From: a@example.org\r\nTo: ${repeat('(', size)}\r\n\r\nx`),
  text('a.ipynb', 'cells', (size) => {
    const cell = '{"cell_type":"code","source":["x"],"outputs":[],"metadata":{}},';
    return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[${repeat(cell, size)}${cell.slice(0, -1)}]}`;
  }),
  {
    name: 'docx: one run',
    filename: 'a.docx',
    make: (size) => docx(`<w:p><w:r><w:t>${repeat('a ', size)}</w:t></w:r></w:p>`),
  },
  {
    name: 'docx: runs',
    filename: 'a.docx',
    make: (size) => docx(`<w:p>${repeat('<w:r><w:t>a</w:t></w:r>', size)}</w:p>`),
  },
  {
    name: 'docx: nested tables',
    filename: 'a.docx',
    make: (size) =>
      docx(
        `${repeat('<w:tbl><w:tr><w:tc>', size / 2)}<w:p><w:r><w:t>x</w:t></w:r></w:p>${repeat('</w:tc></w:tr></w:tbl>', size / 2)}`,
      ),
  },
  {
    name: 'docx: one wide row',
    filename: 'a.docx',
    make: (size) =>
      docx(`<w:tbl><w:tr>${repeat('<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>', size)}</w:tr></w:tbl>`),
  },
  zip('a.xlsx', 'one cell', (size) =>
    workbook(`<row r="1"><c r="A1" t="inlineStr"><is><t>${repeat('a ', size)}</t></is></c></row>`),
  ),
  zip('a.xlsx', 'one wide row', (size) => {
    const cells = list(Math.min(size / 26, 16_000), (at) => `<c r="${letters(at)}1"><v>1</v></c>`);
    return workbook(`<row r="1">${cells}</row>`);
  }),
  zip('a.xlsx', 'distant cells', (size) => {
    return workbook(
      list(size / 60, (at) => `<row r="${at * 20 + 1}"><c r="XFD${at * 20 + 1}"><v>1</v></c></row>`),
    );
  }),
  zip('a.xlsx', 'merged cells', (size) => {
    const merged = list(size / 60, (at) => `<mergeCell ref="A${at * 2 + 1}:XFD${at * 2 + 2}"/>`);
    return workbook(
      '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>',
      `<mergeCells>${merged}</mergeCells>`,
    );
  }),
  zip('a.ods', 'repeated columns', (size) => {
    const cell =
      '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>';
    return openDocument(
      'spreadsheet',
      `<table:table table:name="A">${repeat(`<table:table-row>${cell}</table:table-row>`, size)}</table:table>`,
    );
  }),
  zip('a.ods', 'repeated rows', (size) => {
    const row =
      '<table:table-row table:number-rows-repeated="1048576"><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>';
    return openDocument('spreadsheet', `<table:table table:name="A">${repeat(row, size)}</table:table>`);
  }),
  zip('a.odt', 'nested lists', (size) => {
    return openDocument(
      'text',
      `${repeat('<text:list><text:list-item>', size / 2)}<text:p>x</text:p>${repeat('</text:list-item></text:list>', size / 2)}`,
    );
  }),
  zip('a.odt', 'spaces', (size) =>
    openDocument('text', `<text:p>x${repeat('<text:s text:c="100000"/>', size)}</text:p>`),
  ),
];
