import type { LocalTextModel } from '../embedding/local/local-text-model.js';
import { observedCall } from '../providers/observed-call.js';
import { currentSignal } from '../request/request-context.js';
import { PageEmbedder, type ImageQuestion, type MultiVector, type PageInput } from './page-embedder.js';

/** Tokens of a page that share a vector: as good on reports as one each, at an eighth of the space. */
const POOLED = 8;

/**
 * Adapter: late interaction over the token vectors of the bundled text model. It reads the text of a page, not its
 * image: a page without text is found by no question, and what only a picture shows is not seen.
 */
export class LocalPageEmbedder extends PageEmbedder {
  readonly model = 'local/all-MiniLM-L6-v2/tokens';
  readonly reads = 'text';
  private readonly dims = 384;

  constructor(private readonly textModel: LocalTextModel) {
    super();
  }

  async embedPages(pages: readonly PageInput[]): Promise<MultiVector[]> {
    const inputs = pages.map(({ text, context }) =>
      // A title alone would make an empty page as near to a question as the page that answers it.
      ({ text, context: text.trim() === '' ? '' : context, pooled: POOLED }),
    );
    const signal = currentSignal();
    const vectors = await observedCall('multivector', signal, () =>
      this.textModel.embedTokens(inputs, { signal }),
    );
    return vectors.map((rows) => ({ dims: this.dims, vectors: rows }));
  }

  embedQuery(query: string): Promise<MultiVector> {
    return this.question(query, 1);
  }

  /** The text in the image as a page has it. */
  async embedImage({ text }: ImageQuestion): Promise<MultiVector | null> {
    return text.trim() === '' ? null : this.question(text, POOLED);
  }

  private async question(text: string, pooled: number): Promise<MultiVector> {
    const inputs = [{ text, context: '', pooled }];
    const signal = currentSignal();
    const [vectors] = await observedCall('multivector', signal, () =>
      this.textModel.embedTokens(inputs, { urgent: true, signal }),
    );
    if (vectors === undefined) throw new Error('The text model answered without vectors');
    return { dims: this.dims, vectors };
  }
}
