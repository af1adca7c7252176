import { drawn, rawPdf, stream } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

describe('a PDF with attached files', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it('lists them, and has the text of those that can be read', async () => {
    const inner = rawPdf([{ content: drawn('The quay fee is 57 crowns.', 60, 700) }]);
    const files = [
      ['fees.pdf', inner],
      ['berths.csv', Buffer.from('berth,fee\nEast 1,41\n')],
      ['noise.bin', Uint8Array.from([0, 1, 2, 0, 255, 254, 0, 3])],
    ] as const;
    const names = files.map(
      ([name], at) =>
        `(${name}) << /Type /Filespec /F (${name}) /UF (${name}) /EF << /F ${100 + at} 0 R >> >>`,
    );
    const { document } = await reader.read(
      rawPdf([{ content: drawn('Open this portfolio in another viewer.', 60, 700) }], {
        catalog: `/Collection << /Type /Collection >> /Names << /EmbeddedFiles << /Names [${names.join(' ')}] >> >>`,
        objects: files.map(([, bytes]) => stream('/Type /EmbeddedFile', bytes)),
      }),
      { filename: 'portfolio.pdf' },
    );
    expect(document.text.slice()).toBe(
      'Open this portfolio in another viewer.\n\nAttachment: fees.pdf\n\nThe quay fee is 57 crowns.\n\n' +
        'Attachment: berths.csv\n\n| berth | fee |\n| --- | --- |\n| East 1 | 41 |',
    );
    expect(document.properties['embedded_files']).toEqual([
      { filename: 'fees.pdf', size: inner.length, content_type: 'application/pdf' },
      { filename: 'berths.csv', size: 20, content_type: 'text/csv' },
      { filename: 'noise.bin', size: 8, error: expect.stringContaining('neither text nor') as unknown },
    ]);
  });
});

describe('a PDF with files attached to a page', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it('lists them once, and has their texts', async () => {
    const file = '<< /Type /Filespec /F (berths.csv) /UF (berths.csv) /EF << /F 100 0 R >> >>';
    const pin = (x: number): string =>
      `<< /Type /Annot /Subtype /FileAttachment /Rect [${x} 700 ${x + 20} 720] /FS ${file} >>`;
    const { document } = await reader.read(
      rawPdf(
        [{ content: drawn('See the pinned table.', 60, 700), entries: `/Annots [${pin(200)} ${pin(300)}]` }],
        {
          objects: [stream('/Type /EmbeddedFile', Buffer.from('berth,fee\nEast 1,41\n'))],
        },
      ),
      { filename: 'pinned.pdf' },
    );
    expect(document.text.slice()).toBe(
      'See the pinned table.\n\nAttachment: berths.csv\n\n| berth | fee |\n| --- | --- |\n| East 1 | 41 |',
    );
    expect(document.properties['embedded_files']).toEqual([
      { filename: 'berths.csv', size: 20, content_type: 'text/csv' },
    ]);
  });
});
