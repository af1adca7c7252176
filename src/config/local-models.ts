/** A text model that runs in this process: its files and its text limits. */
export interface LocalModel {
  /** Name of its folder in `models/` and in the table of known models. */
  readonly name: string;
  /** npm package, for a model that is not bundled. */
  readonly package?: string;
  /** ONNX file. */
  readonly file: string;
  readonly dimensions: number;
  /** Maximum tokens per text, the two special tokens included. */
  readonly maxTokens: number;
  /** Maximum tokens of a chunk: `maxTokens` without the special tokens and the passage prefix. */
  readonly chunkTokens: number;
  readonly tokenizer: 'word-piece' | 'unigram';
}

/** Local models by value of EMBEDDING_MODEL. */
export const LOCAL_MODELS = {
  local: {
    name: 'all-MiniLM-L6-v2',
    file: 'model_int8.onnx',
    dimensions: 384,
    maxTokens: 256,
    chunkTokens: 254,
    tokenizer: 'word-piece',
  },
  'local-multilingual': {
    name: 'multilingual-e5-small',
    package: '@lectern/multilingual-e5-small',
    file: 'model_q4.onnx',
    dimensions: 384,
    maxTokens: 512,
    chunkTokens: 508,
    tokenizer: 'unigram',
  },
} as const satisfies Record<string, LocalModel>;

/** Returns the local model of EMBEDDING_MODEL; undefined for an embedding endpoint. */
export function localModel(embeddingModel: string): LocalModel | undefined {
  return Object.hasOwn(LOCAL_MODELS, embeddingModel)
    ? LOCAL_MODELS[embeddingModel as keyof typeof LOCAL_MODELS]
    : undefined;
}
