import { crc32, deflateSync } from 'node:zlib';
import { zipSync, type Zippable } from 'fflate';

/** A file made to break its parser, and the expected error. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: () => Uint8Array;
  /** Pattern of the document's `error`; null: the file is parsed like any other. */
  readonly reason: RegExp | typeof LARGE | null;
}

/** A small machine rejects the file as too large, a large one parses it. */
export const LARGE = 'large';

const MEGABYTE = 2 ** 20;

export const TOO_MUCH = /expands far beyond the size limit|needs more memory than allowed/;

/**
 * Hostile files of every kind known from attacks on document parsers.
 * @param scale 1 keeps them small enough for every test run; 10 makes them as large as possible.
 */
export function hostileFiles(scale: number): readonly HostileFile[] {
  const times = (text: string, megabytes: number): string =>
    text.repeat(Math.ceil((megabytes * scale * MEGABYTE) / text.length));
  const deep = 100_000 * scale;
  return [
    // Archives that expand.
    {
      name: 'declared-bomb.docx',
      bytes: () => declaringSizes(archive(DOCX), 600 * MEGABYTE),
      reason: TOO_MUCH,
    },
    {
      name: 'undeclared-bomb.docx',
      bytes: () =>
        declaringSizes(archive({ ...DOCX, 'word/document.xml': new Uint8Array(20 * scale * MEGABYTE) }), 10),
      reason: /truncated or damaged|expands far beyond/,
    },
    {
      name: 'elements.docx',
      bytes: () =>
        archive({ ...DOCX, 'word/document.xml': word(times('<w:p><w:r><w:t>a</w:t></w:r></w:p>', 12)) }),
      reason: LARGE,
    },
    {
      name: 'nested-tables.docx',
      bytes: () =>
        archive({
          ...DOCX,
          'word/document.xml': word(
            '<w:tbl><w:tr><w:tc>'.repeat(deep / 10) + '</w:tc></w:tr></w:tbl>'.repeat(deep / 10),
          ),
        }),
      reason: /nested|damaged or cannot be parsed/,
    },
    {
      name: 'shared-strings.xlsx',
      bytes: () =>
        archive({
          ...xlsx('<row r="1"><c r="A1" t="s"><v>0</v></c></row>'),
          'xl/sharedStrings.xml': `<sst xmlns="${SHEET}">${times('<si><t>a</t></si>', 12)}</sst>`,
        }),
      reason: null,
    },
    {
      name: 'far-corner.xlsx',
      bytes: () =>
        archive(
          xlsx(
            '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
          ),
        ),
      reason: null,
    },
    {
      name: 'one-chapter-many-times.epub',
      bytes: () => archive(epub(`<p>${times('Again and again. ', 0.02)}</p>`, 20_000)),
      reason: null,
    },
    { name: 'archive.zip', bytes: () => archive({ 'inner.zip': archive({ 'a.txt': 'a' }) }), reason: /zip/ },
    { name: 'nested.docx', bytes: () => archive({ 'a.docx': archive(DOCX) }), reason: /zip/ },

    // Images.
    {
      name: 'hundred-megapixels.png',
      bytes: () => png(10_000, 10_000),
      reason: /100 megapixels.*scale it down/,
    },
    { name: 'claims-to-be-large.png', bytes: () => png(60_000, 60_000, 16), reason: /3600 megapixels/ },

    // PDF.
    {
      name: 'expanding-stream.pdf',
      bytes: () => pdf(deflateSync(new Uint8Array(100 * scale * MEGABYTE).fill(0x20))),
      reason: /No text was found|needs more memory/,
    },
    {
      name: 'many-operators.pdf',
      bytes: () => pdf(deflateSync(Buffer.from(`BT /F1 1 Tf ${times('(a) Tj 1 0 Td ', 4)} ET`))),
      reason: null,
    },
    { name: 'endless-pages.pdf', bytes: endlessPagesPdf, reason: /damaged|cannot be read|takes too long/ },

    // Texts that nest, expand or never end a line.
    { name: 'deep.json', bytes: () => text('['.repeat(deep) + ']'.repeat(deep)), reason: /nested more than/ },
    {
      name: 'deep.xml',
      bytes: () => text(`<?xml version="1.0"?>${'<a>'.repeat(deep)}${'</a>'.repeat(deep)}`),
      reason: /nested more than/,
    },
    {
      name: 'deep.html',
      bytes: () => text(`<html><body>${'<div>'.repeat(deep)}Deep down.`),
      reason: null,
    },
    { name: 'billion-laughs.xml', bytes: () => text(billionLaughs()), reason: /undefined entity/ },
    { name: 'one-line.csv', bytes: () => text(times('a,', 0.2)), reason: null },
    { name: 'one-cell.csv', bytes: () => text(`name\n"${times('word ', 1)}`), reason: null },
    { name: 'one-word.txt', bytes: () => text(times('a', 1)), reason: null },
    { name: 'one-cluster.txt', bytes: () => text(`e${times('\u0301', 0.1)}`), reason: null },
    { name: 'elements.html', bytes: () => text(times('<p>a</p>', 20)), reason: LARGE },

    // Mail.
    { name: 'mail-in-mail.eml', bytes: () => text(mailInMail(50)), reason: null },
    { name: 'deep-parts.eml', bytes: () => text(deepParts(deep / 100)), reason: /damaged|No text|nested/ },

    // Files whose name or type does not match their content.
    {
      name: 'page.pdf',
      bytes: () => text('<!doctype html><p>Not found'),
      reason: /named .pdf, but its content/,
    },
    { name: 'picture.docx', bytes: () => png(10, 10), reason: /named .docx, but its content is image\/png/ },
  ];
}

/** Yields ordinary sentences of this many bytes together, no two lines alike. */
export function* plainText(bytes: number): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let line = 0;
  for (let left = bytes; left > 0;) {
    let block = '';
    while (block.length < Math.min(left, MEGABYTE)) {
      line += 1;
      block += `Station ${line} reports ${(line * 7919) % 1013} millimetres of rain and a wind from ${(line * 31) % 360} degrees.\n`;
      if (line % 12 === 0) block += '\n';
    }
    const part = encoder.encode(block.slice(0, left));
    left -= part.length;
    yield part;
  }
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function archive(parts: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries: Zippable = {};
  for (const [name, content] of Object.entries(parts)) {
    entries[name] = [
      typeof content === 'string' ? text(content) : content,
      { level: name === 'mimetype' ? 0 : 6 },
    ];
  }
  return zipSync(entries);
}

/** Declares an expanded size for every entry of an archive. */
function declaringSizes(zip: Uint8Array, bytes: number): Uint8Array {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf('PK\u0001\u0002'); at !== -1; at = copy.indexOf('PK\u0001\u0002', at + 4)) {
    copy.writeUInt32LE(bytes, at + 24);
  }
  return copy;
}

const TYPES = (parts: Readonly<Record<string, string>>): string =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    parts,
  )
    .map(
      ([name, type]) =>
        `<Override PartName="${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('')}</Types>`;

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const RELATIONSHIPS = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(
    targets,
  )
    .map(
      ([target, type], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

function word(body: string): string {
  return `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
}

const DOCX = {
  '[Content_Types].xml': TYPES({ '/word/document.xml': 'wordprocessingml.document.main' }),
  '_rels/.rels': RELATIONSHIPS({ 'word/document.xml': 'officeDocument' }),
  'word/document.xml': word('<w:p><w:r><w:t>A text.</w:t></w:r></w:p>'),
};

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

function xlsx(rows: string): Record<string, string> {
  return {
    '[Content_Types].xml': TYPES({
      '/xl/workbook.xml': 'spreadsheetml.sheet.main',
      '/xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
      '/xl/sharedStrings.xml': 'spreadsheetml.sharedStrings',
      '/xl/styles.xml': 'spreadsheetml.styles',
    }),
    '_rels/.rels': RELATIONSHIPS({ 'xl/workbook.xml': 'officeDocument' }),
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': RELATIONSHIPS({
      'worksheets/sheet1.xml': 'worksheet',
      'sharedStrings.xml': 'sharedStrings',
      'styles.xml': 'styles',
    }),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData></worksheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${SHEET}"><si><t>a</t></si></sst>`,
    'xl/styles.xml': `<styleSheet xmlns="${SHEET}"><cellXfs count="1"><xf/></cellXfs></styleSheet>`,
  };
}

/** An EPUB whose spine repeats its only chapter. */
function epub(body: string, times: number): Record<string, string> {
  return {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf': `<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="c" href="c.xhtml"/></manifest><spine>${'<itemref idref="c"/>'.repeat(times)}</spine></package>`,
    'c.xhtml': `<html><body>${body}</body></html>`,
  };
}

/** A black image, one bit per pixel; only `rows` of them are present. */
function png(width: number, height: number, rows = height): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(new Uint8Array(rows * (1 + Math.ceil(width / 8))));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngPart('IHDR', header),
    pngPart('IDAT', pixels),
    pngPart('IEND', Buffer.alloc(0)),
  ]);
}

function pngPart(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** One page with a compressed content stream. */
function pdf(stream: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n' +
        '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
        '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n' +
        '5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n' +
        `4 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n'),
  ]);
}

/** A page tree that is its own child, and declares a thousand million pages. */
function endlessPagesPdf(): Uint8Array {
  return text(
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n' +
      '2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1000000000 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n',
  );
}

/** Ten entities, each ten times as long as the one before. */
function billionLaughs(): string {
  const entities = Array.from(
    { length: 9 },
    (_, i) => `<!ENTITY lol${i + 1} "${`&lol${i};`.repeat(10)}">`,
  ).join('\n');
  return `<?xml version="1.0"?>\n<!DOCTYPE lolz [\n<!ENTITY lol0 "lol">\n${entities}\n]>\n<lolz>&lol9;</lolz>`;
}

function mailInMail(levels: number): string {
  let message = 'Subject: the innermost\r\n\r\nThe end of it.\r\n';
  for (let level = levels; level > 0; level -= 1) {
    message =
      `Subject: level ${level}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b${level}"\r\n\r\n` +
      `--b${level}\r\nContent-Type: text/plain\r\n\r\nA word from level ${level}.\r\n` +
      `--b${level}\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename="inner.eml"\r\n\r\n${message}` +
      `--b${level}--\r\n`;
  }
  return message;
}

function deepParts(levels: number): string {
  const parts = Array.from(
    { length: levels },
    (_, i) => `Content-Type: multipart/mixed; boundary="p${i}"\r\n\r\n--p${i}\r\n`,
  ).join('');
  return `Subject: parts in parts\r\nMIME-Version: 1.0\r\n${parts}Content-Type: text/plain\r\n\r\nAt the bottom.\r\n`;
}
