/** A text model that runs in this process: its files and its text limits. */
export interface LocalModel {
  /** Name of the model: its folder in `models/`, and its key in the table of known models. */
  readonly name: string;
  /** npm package that contains the model; absent for the bundled model. */
  readonly package?: string;
  /** Name of the ONNX file. */
  readonly file: string;
  readonly dimensions: number;
  /** Maximum number of tokens per text, including the two special tokens. */
  readonly maxTokens: number;
  /** Maximum number of tokens of a chunk: `maxTokens` minus the special tokens and the passage prefix. */
  readonly chunkTokens: number;
  readonly tokenizer: 'word-piece' | 'unigram';
}

/** Local models. The key is the value of EMBEDDING_MODEL. */
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

/** Returns the local model that EMBEDDING_MODEL selects, or undefined if it selects an embedding endpoint. */
export function localModel(embeddingModel: string): LocalModel | undefined {
  return Object.hasOwn(LOCAL_MODELS, embeddingModel)
    ? LOCAL_MODELS[embeddingModel as keyof typeof LOCAL_MODELS]
    : undefined;
}
