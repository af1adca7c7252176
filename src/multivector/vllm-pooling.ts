import type { OpenAI } from 'openai';
import { itemsOf, multiVectorOf } from './answered-vectors.js';
import type { MultiVectorServer } from './multi-vector-server.js';
import type { MultiVector } from './page-embedder.js';

/** Prompt that models of the ColPali family expect with a page image, from their training. */
const PAGE_PROMPT = 'Describe the image.';

/** `POST /pooling` of vLLM with a model that pools by token (ColPali, ColQwen). An image is a chat message. */
export class VllmPooling implements MultiVectorServer {
  readonly imagesPerCall = 1; // a call is one conversation

  /** @param client for the address without `/v1` */
  constructor(
    private readonly client: OpenAI,
    private readonly model: string,
  ) {}

  question(text: string, signal: AbortSignal): Promise<MultiVector> {
    return this.pooled({ input: [text] }, signal);
  }

  images(images: readonly Uint8Array[], _use: unknown, signal: AbortSignal): Promise<MultiVector[]> {
    return Promise.all(images.map((image) => this.pooled({ messages: [messageOf(image)] }, signal)));
  }

  private async pooled(input: object, signal: AbortSignal): Promise<MultiVector> {
    const body = { model: this.model, encoding_format: 'float', ...input };
    const [item] = itemsOf(await this.client.post<unknown>('/pooling', { body, signal }), 1);
    return multiVectorOf(item?.['data']);
  }
}

function messageOf(image: Uint8Array): object {
  const url = `data:image/png;base64,${Buffer.from(image).toString('base64')}`;
  return {
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: PAGE_PROMPT },
    ],
  };
}
