import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { DocumentReader } from '../../../reader/src/parsing/document-reader.js';
import { LibreOffice } from '../../../reader/src/parsing/office/libre-office.js';
import { PageRenderer } from '../../../reader/src/parsing/pages/page-renderer.js';
import { Readers } from '../../../reader/src/parsing/reader/readers.js';

const FIXTURES = join(__dirname, '../../fixtures');
const isInstalled = spawnSync('soffice', ['--version']).status === 0;

const fixture = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await readFile(join(FIXTURES, name)));

// LibreOffice is optional.
(isInstalled ? describe : describe.skip)('LibreOffice (needs soffice on the PATH)', () => {
  const office = new LibreOffice(undefined);
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it.each([
    ['minutes.doc', 'application/msword'],
    ['minutes.rtf', 'application/rtf'],
    ['budget.xls', 'application/vnd.ms-excel'],
    ['budget.ods', 'application/vnd.oasis.opendocument.spreadsheet'],
    ['slides.ppt', 'application/vnd.ms-powerpoint'],
    ['slides.odp', 'application/vnd.oasis.opendocument.presentation'],
  ])('has %s read as a document of its own type', async (name, contentType) => {
    const { document } = await reader.read(await fixture(`office/${name}`), { filename: name });
    expect([document.contentType, document.textType]).toEqual([contentType, 'text/markdown']);
    const { title, author } = document.properties;
    expect({ text: document.text.slice(), pageCount: document.pageCount, title, author }).toMatchSnapshot();
  });

  it.each(['documents/minutes.docx', 'documents/budget.xlsx', 'office/budget.ods', 'office/slides.odp'])(
    'creates a PDF of %s',
    async (name) => {
      const pdf = await office.convert(await fixture(name), {
        from: name.slice(-4).replace('.', ''),
        to: 'pdf',
      });
      const { document } = await reader.read(pdf, {});
      expect([document.contentType, document.text.length]).toEqual(['application/pdf', expect.any(Number)]);
      expect(document.text.length).toBeGreaterThan(50);
    },
  );

  it.each([
    ['documents/minutes.docx', null, 'Visit Netherfield'],
    ['office/minutes.rtf', 'odt', 'Visit Netherfield'],
    ['documents/budget.xlsx', null, 'Thoreau'],
    ['office/slides.odp', 'pptx', 'Counts Island Finches'],
    ['office/slides.odp', 'ppt', 'Counts Island Finches'],
    ['office/minutes.doc', null, 'Visit Netherfield'],
    ['office/minutes.rtf', null, 'Visit Netherfield'],
    ['office/budget.xls', null, 'Thoreau'],
    ['office/budget.ods', null, 'Thoreau'],
    ['office/slides.odp', null, 'Counts Island Finches'],
  ])('draws the pages of %s (as %s), with their words', async (name, as, text) => {
    const given = await fixture(name);
    const from = extname(name).slice(1);
    const bytes = as === null ? given : await office.convert(given, { from, to: as as 'pptx' });
    const { document } = await reader.read(bytes, { filename: `file.${as ?? from}` });
    const renderer = new PageRenderer(readers);
    const { pdf, pageCount } = await renderer.toPdf(bytes, document.contentType);
    const pages = await renderer.words(pdf);
    expect(pages).toHaveLength(pageCount);
    const at = pages.findIndex((words) => words.join(' ').includes(text));
    const view = await renderer.view(pdf, 'application/pdf', at + 1);
    expect(view?.words.map((word) => word.text).join(' ')).toContain(text);
  });

  it('reads Rich Text of a hundred thousand groups, adjacent or nested, as fast as other files', async () => {
    const beside = `{\\rtf1 ${'{\\b The}{\\i heron}'.repeat(50_000)}}`;
    const nested = `{\\rtf1 ${'{\\b '.repeat(100_000)}The heron${'}'.repeat(100_000)}}`;
    for (const rtf of [beside, nested]) {
      const { document } = await reader.read(Buffer.from(rtf), { filename: 'heron.rtf' });
      expect(document.text.slice(0, 9)).toMatch(/^The ?heron/);
    }
  });

  it('creates a PDF of its own output', async () => {
    const slides = await office.convert(await fixture('office/slides.odp'), { from: 'odp', to: 'pptx' });
    const pdf = await office.convert(slides, { from: 'pptx', to: 'pdf' });
    expect((await reader.read(pdf, {})).document.pageCount).toBe(2);
  });

  it('rejects a file that it cannot load', async () => {
    const broken = new Uint8Array(await fixture('office/budget.ods')).map((byte, i) =>
      i > 1_000 && i < 2_000 ? byte ^ 0xff : byte,
    );
    await expect(office.convert(broken, { from: 'ods', to: 'xlsx' })).rejects.toThrow(/cannot read the file/);
  });
});
