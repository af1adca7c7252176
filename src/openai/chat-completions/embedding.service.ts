import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BYTE_PAIR, loadTokenizer } from '#reader';
import { Embedder } from '../../models/embedding/embedder.js';
import { Invalid, type Location, NotFound, violation } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, Field, IntegerField, TextField } from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { eachOf, text } from '../../http/input/parse.js';
import { timed } from '../../request/request-context.js';
import { ModelListService, NO_MODEL, OWN_NAME } from '../../models/list/model-list.service.js';

const MAX_TEXTS = 2_048;

/** A text as tokens of cl100k_base. Some clients send tokens instead of texts. */
type Tokens = readonly number[];

const TOKENS_OF_CL100K = 100_256;

function embeddable(value: unknown, loc: Location): string {
  const given = text(value, loc);
  if (given.trim() === '') throw violation(loc, 'isNotBlank');
  return given;
}

const textOrTokens: Parse = (value, loc) => {
  if (!Array.isArray(value)) {
    return embeddable(value, loc);
  }
  const tokens: readonly unknown[] = value;
  const wrong = tokens.findIndex((token) => !isToken(token));
  if (wrong === -1 && tokens.length > 0) return tokens;
  const at = wrong === -1 ? loc : [...loc, wrong];
  throw Invalid.at(at, 'Value error, a list of numbers must be tokens of cl100k_base');
};

const TOKEN = { type: 'integer', minimum: 0, maximum: TOKENS_OF_CL100K - 1 } as const;

function isToken(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < TOKENS_OF_CL100K;
}

/** Reads one or more texts, each as a string or as tokens. */
const texts: Parse = (value, loc, settings) => {
  if (!Array.isArray(value)) return [textOrTokens(value, loc, settings)];
  if (value.length > 0 && value.every((one) => typeof one === 'number'))
    return [textOrTokens(value, loc, settings)];
  if (value.length === 0 || value.length > MAX_TEXTS) {
    throw Invalid.at(loc, `Value error, input expects 1 to ${MAX_TEXTS} texts, got ${value.length}`);
  }
  return eachOf(textOrTokens)(value, loc, settings);
};

@Examples({
  'Two texts': { model: 'lectern', input: ['The last boat leaves at nine.', 'When does the boat leave?'] },
})
export class EmbeddingsDto {
  @TextField({
    description: 'The configured embedding model: its name with or without provider, or `lectern`.',
    example: 'lectern',
    required: true,
    notEmpty: true,
  })
  model: string;

  @Field(
    {
      description: 'A text or up to 2,048 texts, each as a string or as cl100k_base tokens.',
      required: true,
      parse: texts,
    },
    {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: MAX_TEXTS },
        { type: 'array', items: TOKEN, minItems: 1 },
        {
          type: 'array',
          items: { type: 'array', items: TOKEN, minItems: 1 },
          minItems: 1,
          maxItems: MAX_TEXTS,
        },
      ],
    },
  )
  input: (string | Tokens)[];

  @ChoiceField({
    description: 'float: numbers. base64: little-endian 32-bit floats.',
    values: ['float', 'base64'],
    example: 'float',
    nullable: true,
    openapi: { default: 'float' },
  })
  encoding_format: 'float' | 'base64' | null = null;

  @IntegerField({
    description: 'Vector length; must equal that of the model.',
    nullable: true,
    positive: true,
  })
  dimensions: number | null = null;
}

/** Number of characters that are tokenized before the event loop serves other requests. */
const SLICE = 65_536;

@Injectable()
export class EmbeddingService {
  constructor(
    private readonly embedder: Embedder,
    private readonly models: ModelListService,
  ) {}

  /**
   * Embeds texts.
   *
   * @throws NotFound for an unknown model; Invalid for a number of dimensions that the model does not have; the errors
   *   of the embedder.
   */
  async embed({ model, input, encoding_format: format, dimensions }: EmbeddingsDto): Promise<object> {
    const { embedder } = this;
    if (!this.models.isEmbedding(model)) {
      const sentence = `The configured embedding model is ${embedder.model}, also called ${OWN_NAME}`;
      throw new NotFound(sentence, undefined, NO_MODEL);
    }
    if (dimensions !== null && dimensions !== embedder.dimensions) {
      const sentence = `Value error, the vectors of ${embedder.model} have ${embedder.dimensions} dimensions`;
      throw Invalid.at(['body', 'dimensions'], sentence);
    }
    const given = await decoded(input);
    const vectors = await timed('embed', () => embedder.embedDocuments(given));
    const tokens = await tokensOf(given);
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

/**
 * Decodes tokens to texts. The table of tokens is loaded on first use.
 *
 * @throws Invalid if tokens cannot be decoded to valid text.
 */
async function decoded(input: readonly (string | Tokens)[]): Promise<string[]> {
  if (input.every((one) => typeof one === 'string')) return [...input];
  const { decode } = await import('gpt-tokenizer/encoding/cl100k_base');
  return input.map((one, index) =>
    typeof one === 'string' ? one : embeddable(decode(one), ['body', 'input', index]),
  );
}

function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

async function tokensOf(texts: readonly string[]): Promise<number> {
  const counter = await loadTokenizer(BYTE_PAIR);
  let sum = 0;
  for (const text of texts) {
    for (let start = 0; start < text.length; start += SLICE) {
      sum += counter.count(text.slice(start, start + SLICE));
      await setImmediate();
    }
  }
  return sum;
}
