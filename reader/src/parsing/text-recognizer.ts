import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import { ParseFailure } from './parse-failure.js';

/** CPU time per picture; a dense page takes 3 s. */
export const SECONDS_PER_PICTURE = 30;

/**
 * Recognises English text by OCR. The model is an installed package, and nothing is downloaded. Uses about 200 MB while
 * open.
 */
export class TextRecognizer {
  private worker: Promise<Worker> | undefined;

  /** @param image PNG, JPEG, WebP, GIF, BMP, TIFF or PNM. @throws ParseFailure if the image cannot be decoded. */
  async textOf(image: Uint8Array): Promise<string> {
    this.worker ??= startWorker();
    const worker = await this.worker;
    try {
      const { data } = await worker.recognize(Buffer.from(image.buffer, image.byteOffset, image.byteLength));
      return data.text.trim();
    } catch (error) {
      throw new ParseFailure('The image cannot be decoded: save it again as PNG or JPEG and upload that.', {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await (await this.worker)?.terminate();
    this.worker = undefined;
  }
}

async function startWorker(): Promise<Worker> {
  const model = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');
  return createWorker('eng', OEM.LSTM_ONLY, {
    langPath: join(dirname(model), '4.0.0_best_int'),
    gzip: true,
    cacheMethod: 'none',
    errorHandler: () => undefined, // the job's promise rejects too; without a handler the library also throws
  });
}
