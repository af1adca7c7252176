import type { OpenAI } from 'openai';
import type { EmbeddingFormat } from '../providers/providers.js';
import { itemsInOrder, UnusableAnswer } from '../providers/failures.js';

/** Purpose of a text. Asymmetric models embed questions and passages differently. */
export type TextUse = 'query' | 'document';

export interface EmbeddingInput {
  readonly model: string;
  readonly texts: readonly string[];
  readonly use: TextUse;
  /** Requested vector length; undefined for the default of the model. */
  readonly dimensions: number | undefined;
}

/** How a provider spells a call of its embedding endpoint. */
interface WireFormat {
  readonly path: string;
  /** Largest number of texts of one call. */
  readonly maxTexts: number;
  body(input: EmbeddingInput): object;
  /** Returns the vectors in the order of the texts. @throws UnusableAnswer */
  vectorsOf(answer: unknown, count: number): readonly unknown[];
  /** Returns the billed tokens, or undefined if the answer has no such number. */
  tokensOf(answer: unknown): unknown;
}

/** Name of the provider in error messages. */
export const PROVIDER_LABEL = 'The embedding provider';

type Json = Readonly<Record<string, unknown>>;

const json = (value: unknown): Json => (value ?? {}) as Json;

/** OpenAI's format, and what most providers copy of it. */
const OPENAI: WireFormat = {
  path: '/embeddings',
  maxTexts: 2_048,
  body: ({ model, texts, dimensions }) => ({
    model,
    input: [...texts],
    encoding_format: 'float',
    ...(dimensions === undefined ? {} : { dimensions }),
  }),
  vectorsOf: (answer, count) =>
    itemsInOrder(json(answer)['data'], count, PROVIDER_LABEL).map(({ embedding }) => embedding),
  tokensOf: (answer) => json(json(answer)['usage'])['prompt_tokens'],
};

/**
 * Wire formats by name. Sources: the API references of Voyage AI (embeddings), NVIDIA NeMo Retriever (text embedding
 * NIM) and Cohere (v2/embed).
 */
const FORMATS: Readonly<Record<EmbeddingFormat, WireFormat>> = {
  openai: OPENAI,
  // Refuses `encoding_format: "float"` and `dimensions`; its lists of numbers are the default.
  voyage: {
    ...OPENAI,
    maxTexts: 1_000,
    body: ({ model, texts, use, dimensions }) => ({
      model,
      input: [...texts],
      input_type: use,
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    }),
    tokensOf: (answer) => json(json(answer)['usage'])['total_tokens'],
  },
  // Refuses a call without `input_type`, and a text above the model's length without `truncate`.
  nvidia: {
    ...OPENAI,
    body: (input) => ({
      ...OPENAI.body(input),
      input_type: input.use === 'query' ? 'query' : 'passage',
      truncate: 'END',
    }),
  },
  cohere: {
    path: '/embed',
    maxTexts: 96,
    body: ({ model, texts, use, dimensions }) => ({
      model,
      texts: [...texts],
      input_type: use === 'query' ? 'search_query' : 'search_document',
      embedding_types: ['float'],
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    }),
    vectorsOf: (answer, count) => {
      const rows = json(json(answer)['embeddings'])['float'];
      if (Array.isArray(rows) && rows.length === count) return rows as unknown[];
      throw new UnusableAnswer(`${PROVIDER_LABEL} returned a different number of items`);
    },
    tokensOf: (answer) => json(json(json(answer)['meta'])['billed_units'])['input_tokens'],
  },
};

export function wireFormat(name: EmbeddingFormat): WireFormat {
  return FORMATS[name];
}

export interface Embedded {
  readonly vectors: readonly unknown[];
  readonly tokens: unknown;
}

/**
 * Calls the embedding endpoint once.
 * @throws UnusableAnswer if the answer has another number of vectors; the errors of the client
 */
export async function embed(
  client: OpenAI,
  format: WireFormat,
  input: EmbeddingInput,
  signal: AbortSignal,
): Promise<Embedded> {
  const answer: unknown = await client.post(format.path, { body: format.body(input), signal });
  return { vectors: format.vectorsOf(answer, input.texts.length), tokens: format.tokensOf(answer) };
}
