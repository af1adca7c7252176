import { readFileSync } from 'node:fs';
import { DocumentReader } from './document-reader.js';
import type { Hints, ParsedDocument } from './parser.js';
import { Readers } from './reader/readers.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Parses in a separate process, as the service does: tests cannot load some libraries, which are ES modules.
 */
describe('parse', () => {
  const readers = new Readers();
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  async function parse(bytes: Uint8Array, hints: Hints = {}): Promise<ParsedDocument> {
    const { document } = await reader.read(Uint8Array.from(bytes), hints);
    return { ...document, text: document.text.slice() };
  }

  it('reads plain text', async () => {
    expect(await parse(utf8('The heron\r\nwaits.\r'), { filename: 'heron.txt' })).toEqual({
      contentType: 'text/plain',
      textType: 'text/plain',
      text: 'The heron\nwaits.\n',
      pages: [],
      pageCount: null,
      properties: {},
    });
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffnaïve “heron”', 'utf8')],
    ['UTF-16LE with a mark', Buffer.from('\ufeffnaïve “heron”', 'utf16le')],
    ['UTF-16BE with a mark', Buffer.from('\ufeffnaïve “heron”', 'utf16le').swap16()],
    ['UTF-16LE without a mark', Buffer.from('naïve “heron”', 'utf16le')],
    ['Windows-1252', Buffer.from('na\xefve \x93heron\x94', 'latin1')],
  ])('decodes %s', async (_, bytes) => {
    expect((await parse(bytes)).text).toBe('naïve “heron”');
  });

  it('uses the charset of the declared type and reports the encoding', async () => {
    const bytes = Buffer.from('8cce82cd', 'hex');
    expect(await parse(bytes, { declaredType: 'text/plain; charset=shift_jis' })).toMatchObject({
      text: '湖は',
      properties: { encoding: 'shift_jis' },
    });
    const { properties } = await parse(
      Buffer.from('Rada p\xf8\xedstavu se sch\xe1z\xed ka\x9ed\xe9 \xfater\xfd.', 'latin1'),
    );
    expect(properties).toEqual({ encoding: 'windows-1250', encoding_guessed: true });
  });

  it('counts the replaced characters', async () => {
    const { text, properties } = await parse(Buffer.from('{"name": "M\xc3\xbcller \xff"}', 'latin1'), {
      filename: 'a.json',
    });
    expect([text, properties]).toEqual([
      '{"name": "Müller \ufffd"}',
      { encoding: 'utf-8', replaced_characters: 1 },
    ]);
  });

  it.each(['utf16le', 'utf8'] as const)('decodes a mail saved as %s', async (encoding) => {
    const message =
      'From: a@example.org\nTo: b@example.org\nSubject: Kran\nContent-Type: text/plain; charset=utf-8\n\nDer Kran hebt früh.\n';
    const { contentType, text } = await parse(Buffer.from(`\ufeff${message}`, encoding), {
      filename: 'a.eml',
    });
    expect([contentType, text.split('\n').at(-1)]).toEqual(['message/rfc822', 'Der Kran hebt früh.']);
  });

  it('decodes Windows-1252 punctuation in a mail', async () => {
    const message =
      'From: a@example.org\nTo: b@example.org\nSubject: Kran\nContent-Type: text/plain; charset=windows-1252\n\nDer \x84Kran\x93.\n';
    const { text } = await parse(Buffer.from(message, 'latin1'), { filename: 'a.eml' });
    expect(text.split('\n').at(-1)).toBe('Der „Kran“.');
  });

  it('uses the first heading of Markdown as the title', async () => {
    const { properties, text } = await parse(utf8('# The heron\n\nIt waits.'), { filename: 'a.md' });
    expect([text, properties]).toEqual(['# The heron\n\nIt waits.', { title: 'The heron' }]);
  });

  it('omits the bytes of embedded images, and reports it', async () => {
    const picture = Buffer.alloc(3_000, 'quay').toString('base64');
    const source = `# Quay\n\n![the plan](data:image/png;base64,${picture})`;
    const { text, properties } = await parse(utf8(source), { filename: 'a.md' });
    expect([text, properties]).toEqual([
      '# Quay\n\n![the plan](data:image/png)',
      {
        title: 'Quay',
        embedded_files_left_out: 1,
        embedded_characters_left_out: picture.length + ';base64,'.length,
      },
    ]);
  });

  it.each(['\u200b', '\ufeff\u2060 \u00ad\n', '\u200d'.repeat(10_000)])(
    'rejects a text of invisible characters (case %#)',
    async (text) => {
      for (const filename of ['a.txt', 'a.md', 'a.html', 'a.csv']) {
        await expect(parse(utf8(text), { filename })).rejects.toThrow(
          /invisible characters: upload a file with text/,
        );
      }
      await expect(parse(utf8(`<p>${text}</p>`), { filename: 'a.html' })).rejects.toThrow(
        /No text was found/,
      );
    },
  );

  it.each([
    ['a damaged file', '%PDF-1.7\nnothing', undefined, 'application/pdf'],
    ['a file with another name', '%PDF-1.7\nnothing', 'a.docx', 'application/pdf'],
    ['malformed XML', '<?xml version="1.0"?><a><b></a>', undefined, 'application/xml'],
    ['white space', ' \n', 'a.md', 'text/markdown'],
    ['bytes of an unknown type', '\u0000\u0001\u0002', undefined, null],
  ])('names the unsupported type of %s', async (_, content, filename, contentType) => {
    const hints = {
      declaredType: 'application/octet-stream',
      ...(filename === undefined ? {} : { filename }),
    };
    await expect(parse(utf8(content), hints)).rejects.toMatchObject({ name: 'ParseFailure', contentType });
  });

  it('recognises notebooks by file name', async () => {
    const source = JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'markdown', source: ['# Quay'] }] });
    expect(await parse(utf8(source), { filename: 'quay.ipynb' })).toMatchObject({
      contentType: 'application/x-ipynb+json',
      textType: 'text/markdown',
      text: '# Quay',
    });
  });

  it('parses a mail by its HTML if the plain text differs', async () => {
    const source =
      'From: a@b.example\nTo: c@d.example\nSubject: Dose\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n' +
      '--x\nContent-Type: text/plain\n\n106 cells\n--x\nContent-Type: text/html\n\n<p>10<sup>6</sup> cells\n--x--\n';
    expect((await parse(utf8(source), { filename: 'a.eml' })).text).toMatch(/\n\n10\^6 cells$/);
  });

  it('recognises source code by file name', async () => {
    expect(await parse(utf8('def heron():\n    return 1\n'), { filename: 'heron.py' })).toMatchObject({
      contentType: 'text/x-python',
      text: 'def heron():\n    return 1\n',
    });
  });

  it('treats valid UTF-8 as text, with any control characters', async () => {
    const twiceDecoded =
      'It\u00e2\u0080\u0099s a heron\u00e2\u0080\u0094it waits. '.repeat(9) + '\u0001\u0002\u0003';
    for (const hints of [{}, { filename: 'heron.txt' }]) {
      expect(await parse(utf8(twiceDecoded), hints)).toMatchObject({
        contentType: 'text/plain',
        text: twiceDecoded,
      });
    }
  });

  it.each(letterSignatures())('treats a sentence that begins with %j as text', async (signature) => {
    const sentence = `${signature} begins what somebody has written in a plain text. `.repeat(9);
    for (const filename of [null, 'heron.txt']) {
      const { contentType, text } = await parse(utf8(sentence), { filename });
      expect([contentType, text]).toEqual([expect.stringMatching(/^text\//), sentence]);
    }
    const latin = await parse(Buffer.from(`${sentence} Na\xefve.`, 'latin1'), { filename: 'heron.txt' });
    expect(latin.text).toBe(`${sentence} Naïve.`);
  });

  it('trusts a long signature unless the file name has a text extension', async () => {
    expect(
      (await parse(utf8('%PDF-1.4 is how such a file begins.'), { filename: 'a.txt' })).contentType,
    ).toBe('text/plain');
    await expect(parse(utf8('%PDF-1.4 is how such a file begins.'), { filename: 'a.pdf' })).rejects.toThrow(
      /truncated/,
    );
  });

  it('replaces characters that cannot be stored, and keeps offsets', async () => {
    expect((await parse(utf8(`${'a'.repeat(400)}\0b`))).text).toBe(`${'a'.repeat(400)}\ufffdb`);
  });

  it.each([
    ['nothing', new Uint8Array(), {}, /empty/],
    ['white space', utf8(' \n '), {}, /white space/],
    ['unknown bytes', Uint8Array.from({ length: 64 }, (_, i) => (i * 37) % 256), {}, /neither text nor/],
    [
      'a text named as a PDF',
      utf8('<!doctype html><p>Not found</p>'),
      { filename: 'a.pdf' },
      /named \.pdf, but its content is text\/html/,
    ],
    [
      'a PDF named as a text',
      Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n...', 'latin1'),
      { filename: 'a.txt' },
      /named \.txt, but its content is application\/pdf/,
    ],
    ['a truncated PDF', utf8('%PDF-1.4\n1 0 obj'), { filename: 'a.pdf' }, /truncated/],
  ])('reports the error of %s', async (_, bytes, hints, reason) => {
    await expect(parse(bytes, hints)).rejects.toThrow(reason);
    await expect(parse(bytes, hints)).rejects.toMatchObject({ name: 'ParseFailure' });
  });
});

/** Returns the signatures of the sniffing library that consist of letters. */
function letterSignatures(): string[] {
  const source = readFileSync('node_modules/file-type/core.js', 'utf8');
  const bytes = Array.from(source.matchAll(/this\.check\(\[([0-9A-Fx, ]+)\]\)/g), ([, list = '']) =>
    String.fromCharCode(...list.split(',').map(Number)),
  );
  const strings = Array.from(source.matchAll(/this\.checkString\('([^'\\]+)'\)/g), ([, text = '']) => text);
  const signatures = new Set([...bytes, ...strings].filter((text) => /^[\x20-\x7e]+$/.test(text)));
  return [...signatures].filter((text) => !['%PDF', '<?xml '].includes(text));
}
