import { AsyncLocalStorage } from 'node:async_hooks';
import { numberedPdf } from '../../../test/support/minimal-pdf.js';
import { readerProcesses } from '../../../test/support/reader-processes.js';
import { DocumentReader } from './document-reader.js';
import { ParseFailure } from './parse-failure.js';
import type { Progress } from './reader/messages.js';
import { Readers, type TaskLimits } from './reader/readers.js';
import { until } from '../../../test/support/until.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Returns a PDF with a line of text per page. The PDF has no cross-reference table, so parsers search for the objects.
 */
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

class NarrowReaders extends Readers {
  constructor(private readonly narrow: Partial<TaskLimits>) {
    super();
  }

  protected override limits(): TaskLimits {
    return { ...super.limits(), ...this.narrow };
  }
}

/** Each process loads its tokenizer first. */
describe('DocumentReader', () => {
  const signals = new AsyncLocalStorage<AbortSignal>();
  const readers = new Readers({ currentSignal: () => signals.getStore() });
  const reader = new DocumentReader(readers);
  afterAll(() => readers.close());

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
    const small = new Readers({ chunks: { size: 16, overlap: 0, context: 4 } });
    const pieces = await new DocumentReader(small).split('The heron waits near the river. '.repeat(20));
    expect(pieces.length).toBeGreaterThan(5);
    for (const { tokens } of pieces) expect(tokens).toBeLessThanOrEqual(16);
    await small.close();
  });

  it('leaves the bytes unchanged, even in a view of a larger buffer', async () => {
    const part = bytesOf('xxA text.').subarray(2);
    const { document } = await reader.read(part, {});
    expect([document.text, Buffer.from(part).toString()]).toEqual(['A text.', 'A text.']);
  });

  it('returns a text of any length unchanged', async () => {
    const long = `${'The heron waits near the river. '.repeat(20_000)}${'漢'.repeat(400_000)}`;
    const { document, pieces } = await reader.read(bytesOf(long), { filename: 'long.txt' });
    expect(document.text.slice() === long).toBe(true);
    expect(pieces.at(-1)?.end).toBe(long.length);
  });

  it('returns the reason of a failure, and reads the next file', async () => {
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

  it('continues after an aborted task', async () => {
    const abort = new AbortController();
    const long = signals.run(abort.signal, () => reader.split('word '.repeat(5_000_000)));
    const next = reader.read(bytesOf('A text.'), {});
    abort.abort(new Error('no longer wanted'));
    await expect(long).rejects.toThrow('no longer wanted');
    expect((await next).document.text).toBe('A text.');
  });

  it('does not start an aborted job', async () => {
    await expect(
      signals.run(AbortSignal.abort(new Error('gone')), () => reader.split('A text.')),
    ).rejects.toThrow('gone');
  });

  it('stops a file that exceeds the CPU time for its size, with a reason', async () => {
    const narrow = new NarrowReaders({ seconds: 0, secondsPerMegabyte: 0 });
    await expect(new DocumentReader(narrow).split('word '.repeat(1_000_000))).rejects.toThrow(
      /takes too long/,
    );
    await narrow.close();
  });

  it('allows a PDF CPU time for its pages, regardless of its size', async () => {
    const narrow = new NarrowReaders({ seconds: 2, secondsPerMegabyte: 0 });
    const { document } = await new DocumentReader(narrow).read(numberedPdf(1_000, 'Thin'), {});
    expect([document.pageCount, document.text.slice(-14)]).toEqual([1_000, 'Thin page 1000']);
    await narrow.close();
  });

  it('survives a file that exhausts memory', async () => {
    const narrow = new NarrowReaders({ megabytes: 300 });
    const narrowReader = new DocumentReader(narrow);
    const html = bytesOf(`<html><body>${'<p>a</p>'.repeat(1_000_000)}</body></html>`);
    await expect(narrowReader.read(html, {})).rejects.toThrow(/more memory/);
    expect((await narrowReader.read(bytesOf('A text.'), {})).document.text).toBe('A text.');
    await narrow.close();
  });

  // The specs find the processes in /proc.
  (process.platform === 'linux' ? describe : describe.skip)('the processes that read', () => {
    const few = new Readers();
    const fewReader = new DocumentReader(few);
    let others: readonly string[] = [];
    const present = (): string[] => readerProcesses().filter((id) => !others.includes(id));
    beforeAll(() => {
      others = readerProcesses();
    });
    afterAll(() => few.close());

    it('are reused for further files, after any outcome and duration', async () => {
      await fewReader.read(bytesOf('A text.'), {});
      const [first] = present();
      await expect(fewReader.read(new Uint8Array(), {})).rejects.toThrow(ParseFailure);
      await fewReader.split('The heron waits. '.repeat(200_000));
      expect(present()).toEqual([first]);
    });

    it('run concurrently for concurrent files', async () => {
      const files = ['One.', 'Two.'].map((text) => fewReader.read(bytesOf(text), {}));
      const texts = (await Promise.all(files)).map(({ document }) => document.text);
      expect([texts, present().length]).toEqual([['One.', 'Two.'], 2]);
    });

    it('exit after a file that used much memory', async () => {
      const narrow = new NarrowReaders({ keptMegabytes: 1 });
      const before = readerProcesses();
      await new DocumentReader(narrow).read(bytesOf('A text.'), {});
      await until('the process exits', () => !readerProcesses().some((id) => !before.includes(id)));
      expect((await new DocumentReader(narrow).read(bytesOf('A text.'), {})).document.text).toBe('A text.');
      await narrow.close();
    });
  });
});
