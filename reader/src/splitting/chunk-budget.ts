/** Sizes of a document's chunks, in tokens of the embedding model. */
export interface ChunkBudget {
  /** Maximum size of a chunk, including its context. */
  readonly size: number;
  /** Number of tokens that a chunk shares with the previous chunk. */
  readonly overlap: number;
  /** Number of tokens of `size` that are reserved for the context; 0 if chunks have no contexts. */
  readonly context: number;
}

/** Sizes for models whose processing time hardly depends on the length of a chunk. */
export const USUAL_CHUNKS: ChunkBudget = { size: 512, overlap: 64, context: 40 };

/** Chunk sizes that a document requests instead of the configured sizes. */
export type ChunkSizes = Pick<ChunkBudget, 'size' | 'overlap'>;

/**
 * Maximum size of a context in tokens. This is enough to name a document, a section and some columns. A longer context
 * would outweigh the text of its chunk.
 */
const CONTEXT_TOKENS = 40;

/** Returns the number of tokens that are reserved for the context of a chunk of this size. */
export function contextTokens(size: number): number {
  return Math.min(CONTEXT_TOKENS, Math.floor(size / 4));
}

/**
 * Returns the chunk sizes of a document: the requested sizes or, if the document requests none, the configured sizes.
 * Requested sizes do not change whether chunks have contexts.
 */
export function budgetOf(sizes: ChunkSizes | undefined, usual: ChunkBudget): ChunkBudget {
  return sizes === undefined
    ? usual
    : { ...sizes, context: usual.context === 0 ? 0 : contextTokens(sizes.size) };
}
