import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DocumentReader, Readers, type ReadResult } from '#reader';
import { chooseTokenizer } from '../../src/models/embedding/tokenizer-choice.js';

const FOLDER = join(__dirname, '../fixtures/documents');

/** Files that cannot be parsed, and the error of their document. */
const FAILURES: Readonly<Record<string, RegExp>> = {
  'blank.txt': /only white space and invisible characters: upload a file with text/,
  'broken.json': /not valid JSON \(.*position 33.*\): correct it, or name it \.txt/,
  'empty.txt': /empty: upload it again with its content/,
  'flagged-encrypted.xlsx': /protected by a password: remove the protection/,
  'locked.epub': /has copy protection \(DRM\): upload a copy without it/,
  'lying.docx': /named \.docx, but its content is application\/zip/,
  'lying.pdf': /named \.pdf, but its content is text\/html/,
  'noise.bin': /neither text nor of a supported type/,
  'not-well-formed.xml': /not well-formed \(line 2, column 10: unexpected close tag\)/,
  'nothing-written.png': /No text was found .* use_colpali/,
  'password.docx': /protected by a password: remove the protection/,
  'password.odt': /protected by a password: remove the protection/,
  'password.pdf': /protected by a password: remove the protection/,
  'truncated.docx': /truncated or damaged: upload the whole file again/,
  'truncated.pdf': /PDF is truncated: upload the whole file again/,
  'truncated.png': /cannot be decoded: save it again/,
  'works.wps': /neither Word, Excel, PowerPoint nor Outlook: save it as DOCX/,
};

/**
 * Words in images. OCR may differ by a letter between processors, so words are compared, and most must match.
 */
const PICTURES: Readonly<Record<string, readonly string[]>> = {
  'really-png.jpg': ['It is a truth universally acknowledged.'],
  'sign.bmp': ['It is a truth universally acknowledged.'],
  'sign.gif': ['It is a truth universally acknowledged.'],
  'sign.jpg': ['It is a truth universally acknowledged.'],
  'sign.png': ['It is a truth universally acknowledged.'],
  'sign.tiff': ['It is a truth universally acknowledged.'],
  'sign.webp': ['It is a truth universally acknowledged.'],
  'two-pages.tiff': ['The first page.', 'The second page.'],
  'scanned.pdf': [
    'Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse.',
  ],
  'partly-scanned.pdf': [
    'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.',
    'Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse.',
    '',
    'The last page has text again.',
  ],
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

describe('the corpus of documents', () => {
  const readers = new Readers({
    tokenizer: chooseTokenizer({ EMBEDDING_MODEL: 'local' }),
    chunks: { size: 64, overlap: 12, context: 16 },
  });
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

  const results = new Map<string, Promise<ReadResult>>();

  /** Parses each file once, shared by all tests. */
  function read(name: string, filename = name): Promise<ReadResult> {
    const key = `${name} as ${filename}`;
    const result =
      results.get(key) ??
      readFile(join(FOLDER, name)).then((file) => reader.read(new Uint8Array(file), { filename }));
    results.set(key, result);
    return result;
  }

  let names: string[];
  beforeAll(async () => {
    const entries = await readdir(FOLDER, { withFileTypes: true });
    names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  });

  it('is parsed as in the snapshot, file by file', async () => {
    expect(names.length).toBeGreaterThanOrEqual(40);
    for (const name of names) {
      if (name in FAILURES || name in PICTURES) continue;
      const { document } = await read(name);
      const pages = document.pages.map(({ start, end }) => document.text.slice(start, end));
      expect({ ...document, pages, name }).toMatchSnapshot(name);
    }
  });

  it('has pages that contain their text, and chunks that cover it', async () => {
    for (const name of names) {
      if (name in FAILURES) continue;
      const { document, pieces } = await read(name);
      const between = document.pages.map((page, i) =>
        document.text.slice(document.pages[i - 1]?.end ?? page.start, page.start),
      );
      expect([name, between.filter((text) => text.trim() !== '')]).toEqual([name, []]);
      expect(document.pages.map(({ pageNumber }) => pageNumber)).toEqual(document.pages.map((_, i) => i + 1));
      expect(document.pageCount).toBe(document.pages.length === 0 ? null : document.pages.length);
      expect(pieces.map(({ bodyStart, end }) => document.text.slice(bodyStart, end)).join('')).toBe(
        document.text,
      );
      for (const { tokens, pageNumber, bodyStart } of pieces) {
        expect(tokens).toBeLessThanOrEqual(64);
        const page = document.pages.findLast(({ start }) => start <= bodyStart);
        expect(pageNumber).toBe(page?.pageNumber ?? null);
      }
    }
  });

  it.each(Object.entries(PICTURES))('recognises the words in %s', async (name, expected) => {
    const { document } = await read(name);
    const pages = document.pages.map(({ start, end }) => wordsOf(document.text.slice(start, end)));
    expect(pages).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) {
      const wanted = wordsOf(text);
      const found = wanted.filter((word) => pages[index]!.includes(word));
      expect(found.length).toBeGreaterThanOrEqual(wanted.length * 0.9);
      if (text === '') expect(pages[index]).toEqual([]);
    }
  });

  it.each(Object.entries(FAILURES))('reports the error of %s', async (name, reason) => {
    await expect(read(name)).rejects.toMatchObject({ name: 'ParseFailure' });
    await expect(read(name)).rejects.toThrow(reason);
  });

  it('accepts an image without text if page images make it searchable', async () => {
    const bytes = new Uint8Array(await readFile(join(FOLDER, 'nothing-written.png')));
    const { document, pieces } = await reader.read(bytes, {
      filename: 'nothing-written.png',
      allowNoText: true,
    });
    expect([document.text, document.pageCount, pieces]).toEqual(['', 1, []]);
  });

  it('detects the type by content, without a file name', async () => {
    for (const name of [
      'report.pdf',
      'minutes.docx',
      'slides.pptx',
      'budget.xlsx',
      'letter.odt',
      'whale.epub',
    ]) {
      const [named, nameless] = [await read(name), await read(name, '')];
      expect(nameless.document).toEqual(named.document);
    }
    for (const name of ['page.html', 'catalogue.xml', 'catalogue.json', 'plain.eml']) {
      expect((await read(name, '')).document.contentType).toBe((await read(name)).document.contentType);
    }
  });
});
