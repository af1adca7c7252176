import { FastResizeFilter, Transformer } from '@napi-rs/image';
import { Inject, Injectable } from '@nestjs/common';
import { Invalid } from '../errors/index.js';
import { PageEmbedder } from '../multivector/page-embedder.js';
import type { PageQuestion } from '../chunks/page-search.js';
import { DocumentReader } from '../parsing/document-reader.js';
import type { PageImage } from '../parsing/pages/page-image.js';
import { PageRenderer } from '../parsing/pages/page-renderer.js';
import { ParseFailure } from '../parsing/parse-failure.js';

/** An image that is shorter on its longer side is enlarged, three times at most. */
const READABLE_SIDE = 2_000;
const MAX_ENLARGEMENT = 3;

/** An image as pages are compared with it. */
export interface ImageQuestion extends PageQuestion {
  /** Recognised in it; empty: there is none, or a model sees the image itself. */
  readonly text: string;
}

/** Makes images comparable with pages: by the page embedder or else by the text in them, and by their fingerprint. */
@Injectable()
export class ImageQuestions {
  constructor(
    private readonly renderer: PageRenderer,
    private readonly reader: DocumentReader,
    @Inject(PageEmbedder) private readonly embedder: PageEmbedder | null,
  ) {}

  /**
   * @param dataUri as `parseQueryImage` has it
   * @throws Invalid at `query_image` when it cannot be decoded; the errors of the page embedder.
   */
  async read(dataUri: string): Promise<ImageQuestion> {
    const [head = '', encoded = ''] = dataUri.split(',', 2);
    const contentType = head.slice('data:'.length, -';base64'.length);
    const bytes = Buffer.from(encoded, 'base64');
    try {
      const page = await this.renderer.picture(bytes, contentType);
      const { png, fingerprint } = page;
      if (this.embedder !== null) {
        return { vectors: await this.embedder.embedImage(png), fingerprint, text: '' };
      }
      const text = await this.reader.recognise(await readable(page));
      return { vectors: null, fingerprint, text: text.trim() };
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      throw Invalid.at(['body', 'query_image'], 'Value error, the image cannot be decoded');
    }
  }
}

/** Recognition expects letters as a scanner sees them; a photograph or a screenshot of a page has smaller ones. */
async function readable({ png, width, height }: PageImage): Promise<Uint8Array> {
  const factor = Math.min(MAX_ENLARGEMENT, READABLE_SIDE / Math.max(width, height));
  if (factor <= 1) return png;
  const [wide, tall] = [Math.round(width * factor), Math.round(height * factor)];
  return new Transformer(png)
    .fastResize({ width: wide, height: tall, filter: FastResizeFilter.CatmullRom })
    .png();
}
