import { readdirSync, readFileSync } from 'node:fs';
import { CODE_FORMATS, extensionOf, type Format, formatOf, FORMATS, labelOf, promisedBy } from './formats.js';
import { PARSERS } from './parsing/parsers.js';

const README = readFileSync('reader/README.md', 'utf8').replaceAll(/ +/g, ' ');
const [SUMMARY = ''] = readFileSync('docs/reference/formats.md', 'utf8').split('\n\nLectern detects');

const fixtures = ['test/fixtures/documents', 'test/fixtures/office'].flatMap((folder) => readdirSync(folder));

const documented = FORMATS.filter((format) => !CODE_FORMATS.includes(format));

/** What a format needs besides its row in formats.ts, and what it lacks. */
const NEEDS: readonly { readonly what: string; readonly has: (format: Format) => boolean }[] = [
  { what: 'its row of the table in reader/README.md', has: (format) => README.includes(rowOf(format)) },
  {
    what: 'its name in the list at the top of docs/reference/formats.md',
    has: ({ name }) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(SUMMARY),
  },
  {
    what: 'a file in test/fixtures/documents, which test/ingestion/corpus.spec.ts reads (with LibreOffice: in test/fixtures/office)',
    has: ({ extensions }) => fixtures.some((name) => extensions.includes(extensionOf(name))),
  },
];

function rowOf({ name, extensions, type, pages, convertedTo }: Format): string {
  const drawn = { pdf: 'yes', picture: 'yes', office: 'through LibreOffice' };
  return `| ${[
    name,
    extensions.map((extension) => `\`${extension}\``).join(', '),
    `\`${type}\``,
    convertedTo === undefined ? 'directly' : 'through LibreOffice',
    pages === undefined ? 'no' : drawn[pages],
  ].join(' | ')} |`;
}

describe('the table of formats', () => {
  it.each(documented)('lacks nothing for $name', (format) => {
    const lacking = NEEDS.filter(({ has }) => !has(format)).map(({ what }) => what);
    expect({ lacking, row: rowOf(format) }).toEqual({ lacking: [], row: rowOf(format) });
  });

  it('names each type and each extension once', () => {
    const types = FORMATS.map(({ type }) => type);
    const extensions = FORMATS.flatMap((format) => format.extensions);
    expect(types).toEqual([...new Set(types)]);
    expect(extensions).toEqual([...new Set(extensions)]);
  });

  it('has a parser for each row, and no other parsers', () => {
    expect(Object.keys(PARSERS).sort()).toEqual([...new Set(FORMATS.map(({ parser }) => parser))].sort());
  });

  it('converts into formats that have the same parser', () => {
    for (const { convertedTo, parser } of FORMATS) {
      if (convertedTo !== undefined)
        expect(formatOf(promisedBy(`a.${convertedTo}`) ?? '')?.parser).toBe(parser);
    }
  });

  it('has labels, also for types that are not in it', () => {
    expect(FORMATS.filter(({ type, label }) => label === '' || labelOf(type) !== label)).toEqual([]);
    expect(['image/x-icon', 'text/x-unknown', 'application/zip'].map(labelOf)).toEqual([
      'Image',
      'Text',
      'File',
    ]);
  });

  it('promises nothing for extensions under which programs save other formats', () => {
    expect(promisedBy('Report.DOCX')).toBe(promisedBy('report.docx'));
    expect([promisedBy('letter.doc'), promisedBy('a.unknown'), promisedBy('none')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
