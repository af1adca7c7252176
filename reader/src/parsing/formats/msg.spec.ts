import { burn } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';
import { DocumentReader } from '../document-reader.js';
import { Readers } from '../reader/readers.js';

/** Rich Text in the container of MS-OXRTFCP, without compression. */
function container(rtf: string, kind = 'MELA'): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(rtf.length + 12, 0);
  head.writeUInt32LE(rtf.length, 4);
  head.write(kind, 8, 'latin1');
  return Buffer.concat([head, Buffer.from(rtf, 'latin1')]);
}

/** A message with a plain body (PidTagBody) and a body in Rich Text (PidTagRtfCompressed). */
function message(plain: string, rtf: Buffer): Uint8Array {
  const streams: readonly (readonly [string, Buffer])[] = [
    ['__properties_version1.0', Buffer.alloc(32)],
    ['__substg1.0_1000001F', Buffer.from(plain, 'utf16le')],
    ['__substg1.0_10090102', rtf],
  ];
  return burn([
    { name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: streams.map((_, at) => at + 1) },
    ...streams.map(([name, bytes]) => ({
      name,
      type: TypeEnum.DOCUMENT,
      length: bytes.length,
      binaryProvider: () => new Uint8Array(bytes), // not a view of a larger buffer
    })),
  ]);
}

const FORMATTED = String.raw`{\rtf1 10{\super 6} cells}`;

/** Parses in a separate process, as the service does. */
describe('the body of an Outlook message', () => {
  const readers = new Readers({ office: '/nowhere/soffice' });
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  it.each([
    ['lost its formatting', container(FORMATTED), expect.stringContaining('install LibreOffice')],
    ['lost nothing (no error)', container(String.raw`{\rtf1 10 6 cells}`), undefined],
    ['has a damaged rich form', container(FORMATTED, '????'), 'The Rich Text of the message is damaged.'],
  ])('without LibreOffice is the plain text, with an error if it %s', async (_which, rtf, error) => {
    const { document } = await reader.read(message('10 6 cells', rtf), { filename: 'a.msg' });
    expect([document.text.slice(), document.properties.body_error]).toEqual(['10 6 cells', error]);
  });
});
