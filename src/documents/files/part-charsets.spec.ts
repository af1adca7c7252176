import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { PartCharsets } from './part-charsets.js';

const FORM = [
  '--frontier\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{}\r\n',
  '--frontier\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n',
  'Content-Type: text/plain; charset=Shift_JIS\r\n\r\n--front Content-Type: text/plain; charset=big5\r\n',
  '--frontier\r\ncontent-type: text/plain;charset="koi8-r"\r\ncontent-disposition: form-data; name="file"; filename="b.txt"\r\n\r\nb\r\n',
  '--frontier\r\nContent-Disposition: form-data; name="file"; filename="c.txt"\r\n\r\nc\r\n--frontier--\r\n',
].join('');

describe('PartCharsets', () => {
  it.each([1, 7, 64, 10_000])('reads the charset of each part from chunks of %d bytes', async (size) => {
    const chunks = FORM.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const request = Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
      headers: { 'content-type': 'multipart/form-data; boundary=frontier' },
    });
    const charsets = new PartCharsets(request as unknown as IncomingMessage);
    await new Promise((resolve) => request.on('end', resolve));
    const found = ['file', 'file', 'file', 'file'].map((fieldname) => charsets.of({ fieldname }));
    expect(found).toEqual(['Shift_JIS', 'koi8-r', null, null]);
  });
});
