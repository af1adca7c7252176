import { minimalPdf } from '../../../../test/support/minimal-pdf.js';
import { drawn, rawPdf } from '../../../../test/support/raw-pdf.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

const SENTENCE = 'The northern quay is closed in winter.';
/** One without a cross-reference table, and one whose table counts from the signature. */
const FILES = [
  rawPdf([{ content: drawn(SENTENCE, 60, 700) }]),
  minimalPdf([{ size: [612, 792], content: drawn(SENTENCE, 60, 700) }]),
];

const LEADS: readonly (readonly [string, Uint8Array])[] = [
  ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf])],
  ['blank lines', Buffer.from('\r\n \n')],
  ['the header of an AppleSingle file', Buffer.from('00051600000200000000000000000000', 'hex')],
  ['the header of a MacBinary file', Buffer.concat([Buffer.from([0, 8]), Buffer.alloc(126, 'q')])],
  ['the header of a download', Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n')],
  ['a printer command', Buffer.from('\u001b%-12345X@PJL ENTER LANGUAGE=PDF\r\n')],
  ['as many bytes as readers skip', Buffer.alloc(1_000, 0)],
];

describe('bytes before the signature of a PDF', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const textOf = async (bytes: Uint8Array, filename: string | null): Promise<string> => {
    const { document } = await reader.read(Uint8Array.from(bytes), { filename });
    return document.text.slice();
  };

  it.each(LEADS)('may be %s', async (_, lead) => {
    for (const file of FILES) {
      for (const filename of ['quay.pdf', null, 'quay']) {
        expect(await textOf(Buffer.concat([lead, file]), filename)).toBe(SENTENCE);
      }
    }
  });

  it('may be a byte order mark in an attachment of a message', async () => {
    const file = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), FILES[0] ?? Buffer.alloc(0)]);
    for (const type of ['application/pdf', 'text/plain; charset=iso-8859-1']) {
      const message =
        'From: a@pier.example\nSubject: Quay\nContent-Type: multipart/mixed; boundary=x\n\n' +
        '--x\nContent-Type: text/plain\n\nSee the file.\n' +
        `--x\nContent-Type: ${type}\nContent-Disposition: attachment; filename="quay.pdf"\n` +
        `Content-Transfer-Encoding: base64\n\n${file.toString('base64')}\n--x--\n`;
      expect(await textOf(Buffer.from(message), 'a.eml')).toContain(SENTENCE);
    }
  });

  it('make no PDF of a text that mentions the signature', async () => {
    const text = `A PDF begins with %PDF-1.7 and ends with this line:\n%%EOF\n`;
    for (const filename of [null, 'note.txt', 'note.md'])
      expect(await textOf(Buffer.from(text), filename)).toBe(text);
    const listing = `A listing:\n%PDF-1.7\n1 0 obj\n`;
    expect(await textOf(Buffer.from(listing), null)).toBe(listing);
    const named = `A whole file:\n%PDF-1.7\n1 0 obj\n%%EOF\n`;
    expect(await textOf(Buffer.from(named), 'note.txt')).toBe(named);
  });

  it('are no PDF beyond the bytes in which readers look', async () => {
    const late = Buffer.concat([Buffer.alloc(1_100, 0), FILES[0] ?? Buffer.alloc(0)]);
    await expect(textOf(late, 'quay.pdf')).rejects.toThrow(/neither text nor/);
  });
});
