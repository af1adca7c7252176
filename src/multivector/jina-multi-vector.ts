import type { OpenAI } from 'openai';
import { itemsOf, multiVectorOf, unusable } from './answered-vectors.js';
import type { ImageUse, MultiVectorServer } from './multi-vector-server.js';
import type { MultiVector } from './page-embedder.js';

/** Purpose of an input. */
type Task = 'retrieval.query' | 'retrieval.passage';

/** `POST /embeddings` of the Jina API with `return_multivector` (jina-embeddings-v4). */
export class JinaMultiVector implements MultiVectorServer {
  readonly imagesPerCall = 4;

  /** @param client for the address with `/v1` */
  constructor(
    private readonly client: OpenAI,
    private readonly model: string,
  ) {}

  async question(text: string, signal: AbortSignal): Promise<MultiVector> {
    const [vectors] = await this.embedded([{ text }], 'retrieval.query', signal);
    if (vectors === undefined) throw unusable('no vectors');
    return vectors;
  }

  images(images: readonly Uint8Array[], use: ImageUse, signal: AbortSignal): Promise<MultiVector[]> {
    const input = images.map((image) => ({ image: Buffer.from(image).toString('base64') }));
    return this.embedded(input, use === 'page' ? 'retrieval.passage' : 'retrieval.query', signal);
  }

  private async embedded(input: readonly object[], task: Task, signal: AbortSignal): Promise<MultiVector[]> {
    const body = {
      model: this.model,
      task,
      input,
      return_multivector: true,
      embedding_type: 'float',
      truncate: true,
    };
    const answer = await this.client.post<unknown>('/embeddings', { body, signal });
    return itemsOf(answer, input.length).map(({ embeddings }) => multiVectorOf(embeddings));
  }
}
