import { readSettings } from '../config/read-settings.js';
import { runInContext } from '../request/request-context.js';
import { DocumentReader } from './document-reader.js';
import { ParseFailure } from './parse-failure.js';
import type { Progress } from './reader/messages.js';
import type { JobLimits } from './reader/job-watch.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A PDF with a line of text on each page. Its cross-reference table is left out: readers find the objects. */
function pdfWith(...lines: string[]): Uint8Array {
  const pages = lines.map((line, i) => {
    const stream = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
    return (
      `${10 + i} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${500 + i} 0 R ` +
      `/Resources << /Font << /F1 3 0 R >> >> >>\nendobj\n` +
      `${500 + i} 0 obj\n<< /Length ${stream.length} >>\nstream\n${stream}\nendstream\nendobj\n`
    );
  });
  const kids = lines.map((_, i) => `${10 + i} 0 R`).join(' ');
  return bytesOf(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n` +
      `2 0 obj\n<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>\nendobj\n` +
      `3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n${pages.join('')}` +
      `trailer\n<< /Root 1 0 R >>\n%%EOF\n`,
  );
}

class NarrowReader extends DocumentReader {
  static limitsOfNext: JobLimits;

  protected override limits(): JobLimits {
    return NarrowReader.limitsOfNext;
  }
}

/** A thread loads its tokenizer first. */
jest.setTimeout(60_000);

describe('DocumentReader', () => {
  let reader: DocumentReader;
  beforeAll(() => {
    reader = new DocumentReader(readSettings({}));
  });
  afterAll(() => reader.onModuleDestroy());

  it('reads a PDF page by page and splits it', async () => {
    const { document, pieces } = await reader.read(pdfWith('The heron waits.', 'The river runs.'), {
      filename: 'heron.pdf',
    });
    expect(document).toMatchObject({
      contentType: 'application/pdf',
      text: 'The heron waits.\n\nThe river runs.',
      pages: [
        { pageNumber: 1, start: 0, end: 16 },
        { pageNumber: 2, start: 18, end: 33 },
      ],
      pageCount: 2,
    });
    expect(pieces.map(({ bodyStart, end, pageNumber }) => [bodyStart, end, pageNumber])).toEqual([
      [0, 18, 1],
      [18, 33, 2],
    ]);
  });

  it('splits a text to the configured budget', async () => {
    const small = new DocumentReader(readSettings({ CHUNK_SIZE: '16', CHUNK_OVERLAP: '0' }));
    const pieces = await small.split('The heron waits near the river. '.repeat(20));
    expect(pieces.length).toBeGreaterThan(5);
    for (const { tokens } of pieces) expect(tokens).toBeLessThanOrEqual(16);
    await small.onModuleDestroy();
  });

  it('takes the buffer without copying it, and copies a part of a larger one', async () => {
    const whole = bytesOf('A text.');
    await reader.read(whole, {});
    expect(whole.byteLength).toBe(0);
    const part = bytesOf('xxA text.').subarray(2);
    const { document } = await reader.read(part, {});
    expect([document.text, part.byteLength]).toEqual(['A text.', 7]);
  });

  it('passes the reason of a failure on and reads the next file', async () => {
    await expect(reader.read(new Uint8Array(), {})).rejects.toThrow(
      new ParseFailure('The file is empty: upload it again with its content.'),
    );
    expect((await reader.read(bytesOf('A text.'), {})).document.text).toBe('A text.');
  });

  it('reports progress', async () => {
    const seen: Progress[] = [];
    await reader.read(pdfWith('One', 'Two', 'Three'), {}, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3].map((done) => ({ step: 'parsing', done, total: 3 })));
  });

  it('runs jobs one after another, and reads on when one is aborted', async () => {
    const abort = new AbortController();
    const long = runInContext(abort.signal, () => reader.split('word '.repeat(5_000_000)));
    const next = reader.read(bytesOf('A text.'), {});
    abort.abort(new Error('no longer wanted'));
    await expect(long).rejects.toThrow('no longer wanted');
    expect((await next).document.text).toBe('A text.');
  });

  it('does not start a job that is aborted already', async () => {
    await expect(
      runInContext(AbortSignal.abort(new Error('gone')), () => reader.split('A text.')),
    ).rejects.toThrow('gone');
  });

  it('gives up a file that makes no progress, with a reason, and reads the next one', async () => {
    NarrowReader.limitsOfNext = { megabytes: 256, deadlineMs: 1 };
    const narrow = new NarrowReader(readSettings({}));
    await expect(narrow.split('word '.repeat(1_000_000))).rejects.toThrow(/takes too long/);
    await narrow.onModuleDestroy();
  });

  it('outlives a file that takes all memory', async () => {
    NarrowReader.limitsOfNext = { megabytes: 32, deadlineMs: 60_000 };
    const narrow = new NarrowReader(readSettings({}));
    const html = bytesOf(`<html><body>${'<p>a</p>'.repeat(1_000_000)}</body></html>`);
    await expect(narrow.read(html, {})).rejects.toThrow(/more memory/);
    await narrow.onModuleDestroy();
  });
});
