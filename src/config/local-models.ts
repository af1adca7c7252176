/** A text model that runs in this process: where its files are, and how it takes texts. */
export interface LocalModel {
  /** Of its folder in `models/`, and in the table of known models. */
  readonly name: string;
  /** Of npm, when it does not come with the service. */
  readonly package?: string;
  /** In ONNX. */
  readonly file: string;
  readonly dimensions: number;
  /** Of a text that it reads, the two special ones included. */
  readonly maxTokens: number;
  /** Of those, what a chunk may fill: the special ones and the prefix of a passage stand beside it. */
  readonly chunkTokens: number;
  readonly tokenizer: 'word-piece' | 'unigram';
}

/** By the value of EMBEDDING_MODEL. */
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

/** The local model that EMBEDDING_MODEL names; undefined for an embedding endpoint. */
export function localModel(embeddingModel: string): LocalModel | undefined {
  return Object.hasOwn(LOCAL_MODELS, embeddingModel)
    ? LOCAL_MODELS[embeddingModel as keyof typeof LOCAL_MODELS]
    : undefined;
}
