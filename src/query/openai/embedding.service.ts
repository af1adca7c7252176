import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Embedder } from '../../embedding/embedder.js';
import { Invalid, NotFound } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, Field, IntegerField, TextField } from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { textDefect } from '../../json/text-defect.js';
import { timed } from '../../request/request-context.js';
import { BytePairTokenizer } from '../../embedding/tokenizers/byte-pair.js';
import { OWN_NAME } from '../models/model-list.service.js';

const MAX_TEXTS = 2_048;

/** One text or several, as a list. Lists of tokens belong to a tokenizer that is not this model's. */
const texts: Parse = (value, loc) => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0 || list.length > MAX_TEXTS) {
    throw Invalid.at(loc, `Value error, input expects 1 to ${MAX_TEXTS} texts, got ${list.length}`);
  }
  for (const [index, text] of list.entries()) {
    if (typeof text === 'string' && text.trim() !== '' && textDefect(text) === undefined) continue;
    const at = Array.isArray(value) ? [...loc, index] : loc;
    throw Invalid.at(
      at,
      'Value error, input expects well-formed texts that are not blank; tokens are not taken',
    );
  }
  return list;
};

/** Body of an embeddings request of the OpenAI protocol. */
@Examples({
  'Two texts': { model: 'lectern', input: ['The last boat leaves at nine.', 'When does the boat leave?'] },
})
export class EmbeddingsDto {
  @TextField({
    description: 'Name of the configured embedding model, or `lectern` for it.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;

  @Field(
    { description: 'A text, or up to 2,048 of them.', required: true, parse: texts },
    {
      oneOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: MAX_TEXTS },
      ],
    },
  )
  input: string[];

  @ChoiceField({
    description: 'Numbers, or the bytes of 32-bit floats (little-endian) in base64.',
    values: ['float', 'base64'],
    example: 'float',
    nullable: true,
    openapi: { default: 'float' },
  })
  encoding_format: 'float' | 'base64' | null = null;

  @IntegerField({
    description: 'Length of the vectors: that of the model, which cannot be changed here.',
    nullable: true,
    positive: true,
  })
  dimensions: number | null = null;
}

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
