/** What the model's own documentation says, and what was measured of it. */
export interface KnownModel {
  /** Length of its vectors when no other is asked for. */
  readonly dimensions?: number;
  /** Words that its authors trained it to see before a query and before a passage. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /** Of `Embedder`: where the cosines of unrelated texts leave off mattering. */
  readonly cosineFloor?: number;
  /** It learned English alone, in the vocabulary of BERT. */
  readonly english?: true;
}

/** Of a model that is not listed: no cosine is cut off, and scores are on the scale that they always had. */
export const USUAL_COSINE_FLOOR = -1;

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

/** Facts about a model by the name its provider gives it; nothing is known about a name that is not listed. */
export function knownModel(model: string): KnownModel {
  const name = model.toLowerCase().split('/').pop()?.split(':')[0] ?? '';
  return MODELS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
}
