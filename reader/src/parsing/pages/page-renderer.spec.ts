import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ResizeFit, Transformer } from '@napi-rs/image';
import { FakeOffice } from '../../../../test/support/fake-office.js';
import { minimalPdf, numberedPdf } from '../../../../test/support/minimal-pdf.js';
import { readerProcesses } from '../../../../test/support/reader-processes.js';
import { Readers, type TaskLimits } from '../reader/readers.js';
import type { PageImage } from './page-image.js';
import { PageRenderer } from './page-renderer.js';
import { until } from '../../../../test/support/until.js';

const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(__dirname, '../../../../test/fixtures', name)));

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('page images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-program-'));
  const office = new FakeOffice(folder, minimalPdf([{ size: [300, 200] }]));
  const signals = new AsyncLocalStorage<AbortSignal>();
  const readers = new Readers({ office: office.program, currentSignal: () => signals.getStore() });
  const renderer = new PageRenderer(readers);
  afterAll(async () => {
    await readers.close();
    rmSync(folder, { recursive: true });
  });

  async function pagesOf(
    bytes: Uint8Array,
    contentType = 'application/pdf',
    by = renderer,
  ): Promise<PageImage[]> {
    const pages: PageImage[] = [];
    for await (const page of by.render(bytes, contentType)) pages.push(page);
    return pages;
  }

  const pdf = (...pages: Parameters<typeof minimalPdf>[0]): Promise<PageImage[]> =>
    pagesOf(minimalPdf(pages));

  /** Returns the area of the image that is darker than grey, in shares of width and height; null: no such area. */
  async function darkPart({ png }: PageImage): Promise<[number, number] | null> {
    const picture = new Transformer(png);
    const { width, height } = await picture.metadata();
    const pixels = await new Transformer(png).grayscale().rawPixels();
    const step = pixels.length / (width * height);
    const dark: [number, number][] = [];
    for (let i = 0; i < width * height; i += 1) {
      if ((pixels[i * step] ?? 255) < 128) dark.push([(i % width) / width, Math.floor(i / width) / height]);
    }
    if (dark.length === 0) return null;
    const mean = (axis: 0 | 1): number => dark.reduce((sum, point) => sum + point[axis], 0) / dark.length;
    return [mean(0), mean(1)];
  }

  const CORNER = '0 0 0 rg 0 180 20 20 re f'; // top left of 300 x 200, since y grows upwards

  it('have 150 dpi, one for each page of a PDF, in order', async () => {
    const pages = await pagesOf(fixture('documents/report.pdf'));
    expect(
      pages.map(({ pageNumber, pageCount, width, height }) => [pageNumber, pageCount, width, height]),
    ).toEqual([
      [1, 2, 1240, 1754],
      [2, 2, 1240, 1754],
    ]);
    for (const { png, width, height } of pages) {
      expect(await new Transformer(png).metadata()).toMatchObject({ format: 'png', width, height });
    }
  });

  it('include blank and scanned pages', async () => {
    const pages = await pagesOf(fixture('documents/partly-scanned.pdf'));
    const dark = await Promise.all(pages.map(async (page) => (await darkPart(page)) !== null));
    expect(dark).toEqual([true, true, false, true]);
  });

  it('are upright for rotated pages', async () => {
    const [upright, turned] = await pdf(
      { size: [300, 200], content: CORNER },
      { size: [300, 200], content: CORNER, rotate: 90 },
    );
    if (upright === undefined || turned === undefined) throw new Error('two pages were asked for');
    expect([upright.width, upright.height]).toEqual([625, 417]);
    expect(await darkPart(upright)).toEqual([expect.closeTo(0.03, 1), expect.closeTo(0.05, 1)]);
    expect([turned.width, turned.height]).toEqual([417, 625]);
    expect(await darkPart(turned)).toEqual([expect.closeTo(0.95, 1), expect.closeTo(0.03, 1)]);
  });

  it('are limited in pixels, for any page size', async () => {
    const pages = await pdf({ size: [14_400, 14_400] }, { size: [200_000, 1] }, { size: [72, 72] });
    expect(pages).toHaveLength(3);
    for (const { width, height } of pages) {
      expect(width * height).toBeLessThanOrEqual(16_000_000);
      expect(Math.max(width, height)).toBeLessThanOrEqual(10_000);
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
    }
    expect(pages[0]).toMatchObject({ width: 4_000, height: 4_000 });
    expect(pages[2]).toMatchObject({ width: 150, height: 150 });
  });

  it.each(['png', 'jpg', 'gif', 'webp', 'tiff'])('are created from %s', async (extension) => {
    const type = { jpg: 'jpeg' }[extension] ?? extension;
    const [page, ...others] = await pagesOf(fixture(`documents/sign.${extension}`), `image/${type}`);
    expect(page).toMatchObject({ pageNumber: 1, pageCount: 1, width: 760, height: 144 });
    expect(page === undefined ? null : await darkPart(page)).not.toBeNull();
    expect(others).toEqual([]);
  });

  it('are created from BMP', async () => {
    const bmp = await new Transformer(fixture('documents/sign.png')).bmp();
    expect(await pagesOf(bmp, 'image/bmp')).toMatchObject([{ width: 760, height: 144 }]);
  });

  it('are created from each page of a TIFF', async () => {
    const pages = await pagesOf(fixture('documents/two-pages.tiff'), 'image/tiff');
    expect(pages).toMatchObject([
      { pageNumber: 1, pageCount: 2 },
      { pageNumber: 2, pageCount: 2 },
    ]);
    expect(Buffer.compare(pages[0]?.png ?? Buffer.of(), pages[1]?.png ?? Buffer.of())).not.toBe(0);
  });

  it('are rotated by the Exif orientation', async () => {
    const [page] = await pagesOf(withOrientation(fixture('documents/sign.jpg'), 6), 'image/jpeg');
    expect(page).toMatchObject({ width: 144, height: 760 });
    const [plain] = await pagesOf(fixture('documents/sign.jpg'), 'image/jpeg');
    if (page === undefined || plain === undefined) throw new Error('a picture is a page');
    const [x, y] = (await darkPart(plain)) ?? [0, 0];
    expect(await darkPart(page)).toEqual([expect.closeTo(1 - y, 1), expect.closeTo(x, 1)]);
  });

  it('are scaled down for a large image, and rejected for a larger one', async () => {
    const large = await new Transformer(fixture('documents/sign.png'))
      .resize(6_000, 4_000, null, ResizeFit.Fill)
      .png();
    expect(await pagesOf(large, 'image/png')).toMatchObject([{ width: 4_898, height: 3_265 }]);
    const head = Buffer.from(fixture('documents/sign.png'));
    head.writeUInt32BE(10_000, 16);
    head.writeUInt32BE(5_100, 20);
    await expect(pagesOf(head, 'image/png')).rejects.toThrow(/51 megapixels, and at most 50/);
  });

  it('of office documents are created through a PDF', async () => {
    expect(await pagesOf(fixture('documents/minutes.docx'), DOCX)).toMatchObject([
      { width: 625, height: 417 },
    ]);
    expect(await pagesOf(fixture('office/slides.ppt'), 'application/vnd.ms-powerpoint')).toHaveLength(1);
    expect(office.asked).toMatch(
      /--convert-to pdf .*document\.docx\n.*--convert-to pdf:impress_pdf_Export:.* .*document\.ppt\n$/,
    );
    const others = new Readers({ office: join(__dirname, 'nowhere') });
    await expect(
      pagesOf(fixture('documents/minutes.docx'), DOCX, new PageRenderer(others)),
    ).rejects.toMatchObject({
      name: 'ParseFailure',
      message: expect.stringContaining('install LibreOffice') as unknown,
    });
    await others.close();
  });

  it('of office documents are shown from a PDF, whose words are known', async () => {
    const { pdf, pageCount } = await renderer.toPdf(fixture('documents/minutes.docx'), DOCX);
    expect(pageCount).toBe(1);
    expect(await renderer.view(pdf, 'application/pdf', 1)).toMatchObject({ pageCount: 1, width: 625 });
    const words = await renderer.words(numberedPdf(2, 'Heron'));
    expect(words).toEqual([
      ['Heron', 'page', '1'],
      ['Heron', 'page', '2'],
    ]);
    await expect(renderer.toPdf(fixture('documents/plain.eml'), 'message/rfc822')).rejects.toThrow(
      /have no pages/,
    );
  });

  it('are supported for PDFs and images, for office documents with LibreOffice, and not for texts', async () => {
    const types = ['application/pdf', 'image/png', DOCX, 'text/plain', 'text/html', 'message/rfc822'];
    const without = new PageRenderer(new Readers({ office: join(__dirname, 'nowhere') }));
    expect(await Promise.all(types.map((type) => renderer.canRender(type)))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(await Promise.all(types.map((type) => without.canRender(type)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('start after the existing pages', async () => {
    const numbers: number[] = [];
    const pages = renderer.render(fixture('documents/partly-scanned.pdf'), 'application/pdf', 2);
    for await (const { pageNumber } of pages) numbers.push(pageNumber);
    expect(numbers).toEqual([3, 4]);
  });

  it('include the text of the text layer', async () => {
    const pages = await pagesOf(fixture('documents/partly-scanned.pdf'));
    expect(pages.map(({ text }) => text.includes('It is a truth') || text.includes('The last page'))).toEqual(
      [true, false, false, true],
    );
  });

  it.each([
    ['password.pdf', 'application/pdf', /protected by a password: remove the protection/],
    ['noise.bin', 'application/pdf', /PDF is damaged: open it in a viewer/],
    ['truncated.png', 'image/png', /cannot be decoded: save it again/],
    ['noise.bin', 'image/png', /truncated or damaged/],
  ])('of %s as %s are rejected with a message', async (name, type, sentence) => {
    await expect(pagesOf(fixture(`documents/${name}`), type)).rejects.toMatchObject({
      name: 'ParseFailure',
      message: expect.stringMatching(sentence) as unknown,
    });
  });

  // The spec finds the processes in /proc.
  (process.platform === 'linux' ? it : it.skip)(
    'are rendered on demand, and the process ends after an early exit from the loop',
    async () => {
      const pages = renderer.render(fixture('documents/partly-scanned.pdf'), 'application/pdf');
      await pages.next();
      const drawing = readerProcesses();
      await pages.return();
      // One of these processes rendered.
      await until(
        'the process that rendered exits',
        () => !drawing.every((id) => readerProcesses().includes(id)),
      );
      expect(await pagesOf(fixture('documents/report.pdf'))).toHaveLength(2);
    },
  );

  it('stop when their job is aborted', async () => {
    const abort = new AbortController();
    await expect(
      signals.run(abort.signal, async () => {
        for await (const page of renderer.render(
          fixture('documents/partly-scanned.pdf'),
          'application/pdf',
        )) {
          expect(page.pageNumber).toBe(1);
          abort.abort(new Error('no longer wanted'));
        }
      }),
    ).rejects.toThrow('no longer wanted');
    expect(await pagesOf(fixture('documents/report.pdf'))).toHaveLength(2);
  });

  it.each([
    ['memory', { megabytes: 40 }, /needs more memory to render/],
    ['time', { secondsPerPage: 0 }, /takes too long to render/],
  ])('stop when they exceed the limit of %s', async (_, narrow, sentence) => {
    class Narrow extends Readers {
      protected override limits(): TaskLimits {
        return { ...super.limits(), ...narrow };
      }
    }
    const few = new Narrow();
    await expect(
      pagesOf(fixture('documents/report.pdf'), 'application/pdf', new PageRenderer(few)),
    ).rejects.toThrow(sentence);
    await few.close();
  });
});

/** Returns a JPEG whose Exif segment contains the orientation only. */
function withOrientation(jpeg: Uint8Array, orientation: number): Uint8Array {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const head = Buffer.from([0xff, 0xe1, 0, 2 + 6 + tiff.length]);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    head,
    Buffer.from('Exif\0\0', 'latin1'),
    tiff,
    jpeg.subarray(2),
  ]);
}
