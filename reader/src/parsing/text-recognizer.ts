import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import { ParseFailure } from './parse-failure.js';
import type { GreyPixels } from './pdf/page-raster.js';
import { hasUprightLines, pgmOf, turnedClockwise } from './turned-pixels.js';

/** CPU time per picture; a dense page takes 3 s, and is read up to four times to find its orientation. */
export const SECONDS_PER_PICTURE = 30;

export interface Recognizable {
  /** PNG, JPEG, WebP, GIF, BMP, TIFF or PNM. */
  readonly image: Uint8Array;
  /** Pixels for turning the picture; null if it cannot be decoded. Called only if the text is not upright. */
  readonly pixels: () => Promise<GreyPixels | null>;
}

export interface Recognition {
  readonly text: string;
  readonly lines: readonly RecognizedLine[];
  /** Words that are probably right. */
  readonly words: readonly string[];
  /** Whether most of the text may be wrong. */
  readonly isDoubtful: boolean;
}

interface RecognizedLine {
  readonly text: string;
  /** 0 to 100. */
  readonly confidence: number;
}

/** A reading of a picture in one orientation. */
interface Reading extends Omit<Recognition, 'isDoubtful'> {
  /** Number of characters in `words`, and their share of all characters. */
  readonly certain: number;
  readonly share: number;
}

/** Minimum confidence and length of a word that is probably right. Text on its side is read as single characters. */
const CONFIDENCE = 60;
const MIN_LETTERS = 3;
const WORD = /^\P{L}*\p{L}{3,}\P{L}*$|\p{N}{3,}/u;

/** Minimum share of probably right characters in a reading that needs no other orientation. */
const GOOD = 0.5;
const CLEAR = 0.25;

/** After this number of pictures without text in any orientation, pictures with upright lines are no longer turned. */
const MAX_IN_VAIN = 4;

/**
 * Recognises English text by OCR, in any orientation. The model is an installed package, and nothing is downloaded. Uses
 * about 200 MB while open.
 */
export class TextRecognizer {
  private worker: Promise<Worker> | undefined;
  private inVain = 0;

  /** @throws ParseFailure if the image cannot be decoded. */
  async read({ image, pixels }: Recognizable): Promise<Recognition> {
    const upright = await this.readingOf(image);
    const best = upright.share >= GOOD ? upright : await this.turned(upright, pixels);
    const { text, lines, words } = best;
    return { text, lines, words, isDoubtful: text !== '' && best.share < CLEAR };
  }

  async close(): Promise<void> {
    await (await this.worker)?.terminate();
    this.worker = undefined;
  }

  /** Turns a picture whose text cannot be read upright. Returns the best reading. */
  private async turned(upright: Reading, pixels: Recognizable['pixels']): Promise<Reading> {
    const grey = await pixels();
    if (grey === null) return upright;
    const isUpright = hasUprightLines(grey);
    if (isUpright && this.inVain >= MAX_IN_VAIN) return upright;
    let best = upright;
    for (const quarters of isUpright ? [2, 1, 3] : [1, 3, 2]) {
      const reading = await this.readingOf(pgmOf(turnedClockwise(grey, quarters)));
      if (reading.certain > best.certain) best = reading;
      if (reading.share >= GOOD && best === reading) break;
    }
    this.inVain = best === upright ? this.inVain + 1 : 0;
    return best;
  }

  private async readingOf(image: Uint8Array): Promise<Reading> {
    this.worker ??= startWorker();
    const worker = await this.worker;
    try {
      const { data } = await worker.recognize(
        Buffer.from(image.buffer, image.byteOffset, image.byteLength),
        {},
        { text: true, blocks: true },
      );
      const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((one) => one.lines));
      const words = lines.flatMap((line) => line.words);
      const sure = words.filter(({ text, confidence }) => confidence >= CONFIDENCE && WORD.test(text));
      const [certain, all] = [sure, words].map((some) =>
        some.reduce((sum, { text }) => sum + text.length, 0),
      );
      return {
        text: data.text.trim(),
        lines: lines.map(({ text, confidence }) => ({ text: text.trim(), confidence })),
        words: sure.map(({ text }) => text),
        certain: certain ?? 0,
        share: (certain ?? 0) / Math.max(MIN_LETTERS, all ?? 0),
      };
    } catch (error) {
      throw new ParseFailure('The image cannot be decoded: save it again as PNG or JPEG and upload that.', {
        cause: error,
      });
    }
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
