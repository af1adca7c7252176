import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Embedder } from '../../embedding/embedder.js';
import { Invalid, NotFound } from '../../errors/index.js';
import { timed } from '../../request/request-context.js';
import { BytePairTokenizer } from '../../embedding/tokenizers/byte-pair.js';
import { OWN_NAME } from '../models/model-list.service.js';
import type { EmbeddingsDto } from './embeddings.dto.js';

/** Characters whose tokens are counted at once: counting holds up everything else. */
const SLICE = 65_536;
const COUNTER = new BytePairTokenizer();

/** Gives vectors of the configured model in the form of the OpenAI protocol. */
@Injectable()
export class EmbeddingService {
  constructor(private readonly embedder: Embedder) {}

  /** @throws NotFound for another model, Invalid for another length; the errors of the embedder. */
  async embed({ model, input, encoding_format: format, dimensions }: EmbeddingsDto): Promise<object> {
    const { embedder } = this;
    if (model !== OWN_NAME && model !== embedder.model) {
      throw new NotFound(`The embedding model here is ${embedder.model}, also called ${OWN_NAME}`);
    }
    if (dimensions !== null && dimensions !== embedder.dimensions) {
      const sentence = `Value error, the vectors of ${embedder.model} have ${embedder.dimensions} dimensions`;
      throw Invalid.at(['body', 'dimensions'], sentence);
    }
    const vectors = await timed('embed', () => embedder.embedDocuments(input));
    const tokens = await tokensOf(input);
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: format === 'base64' ? base64Of(vector) : Array.from(vector),
      })),
      model: embedder.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  }
}

function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

async function tokensOf(texts: readonly string[]): Promise<number> {
  let sum = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += SLICE) {
      sum += COUNTER.count(text.slice(start, start + SLICE));
      await setImmediate();
    }
  }
  return sum;
}
