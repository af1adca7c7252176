/** Facts about a model from its documentation and from measurements. */
export interface KnownModel {
  /** Default vector length. */
  readonly dimensions?: number;
  /** Prefixes of queries and passages in the training data. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /** Cosine with a score of 0; see `Embedder`. */
  readonly cosineFloor?: number;
  /** An English-only model with the vocabulary of BERT. */
  readonly english?: true;
}

/** Cosine floor of unlisted models: the full range of cosines. */
export const DEFAULT_COSINE_FLOOR = -1;

const NOMIC = { dimensions: 768, queryPrefix: 'search_query: ', documentPrefix: 'search_document: ' };
const E5 = { queryPrefix: 'query: ', documentPrefix: 'passage: ', cosineFloor: 0.5 };
const ENGLISH = { english: true } as const;
const SEARCH = { queryPrefix: 'Represent this sentence for searching relevant passages: ' };

/** First match wins. The name is lower-cased, without owner (`BAAI/`) and tag (`:latest`). */
const MODELS: readonly (readonly [RegExp, KnownModel])[] = [
  [/^text-embedding-3-small$/, { dimensions: 1_536 }],
  [/^text-embedding-3-large$/, { dimensions: 3_072 }],
  [/^text-embedding-ada-002$/, { dimensions: 1_536, cosineFloor: 0.5 }],
  [/^gemini-embedding-001$/, { dimensions: 3_072 }],
  [/^text-embedding-004$/, { dimensions: 768 }],
  [/^mistral-embed$/, { dimensions: 1_024 }],
  [/^nomic-embed-text/, NOMIC],
  [/^mxbai-embed-large/, { dimensions: 1_024, ...SEARCH }],
  [/^snowflake-arctic-embed-l-v2|^snowflake-arctic-embed2/, { queryPrefix: 'query: ' }],
  [/^snowflake-arctic-embed/, SEARCH],
  [/^all-minilm/, { dimensions: 384, cosineFloor: -1, ...ENGLISH }],
  [/^bge-m3/, { dimensions: 1_024 }],
  [/^bge-(small|base|large)-en/, { ...SEARCH, ...ENGLISH }],
  [/^gte-(small|base|large)(-en|$)/, ENGLISH],
  [/^(multilingual-)?e5-(small|base|large)(?!.*instruct)/, E5],
];

/** Returns the facts about a model by its provider's name; an empty object for an unlisted name. */
export function knownModel(model: string): KnownModel {
  const name = model.toLowerCase().split('/').pop()?.split(':')[0] ?? '';
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}
