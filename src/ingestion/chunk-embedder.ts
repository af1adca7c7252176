import { Injectable } from '@nestjs/common';
import { type ChunkContext, embeddedText, NO_CONTEXT, type Piece, printContext } from '#reader';
import { ChunkRepository } from '../chunks/chunk.repository.js';
import type { NewChunk } from '../chunks/chunk.js';
import { contentHash } from '../chunks/content-hash.js';
import { Embedder } from '../models/embedding/embedder.js';
import { contentOf } from './text-patch.js';
import type { Draft } from './version.js';

/** Consecutive pieces of a draft. */
export interface PieceRun {
  readonly draft: Draft;
  /** Index of the first piece in the draft. */
  readonly index: number;
  readonly pieces: readonly Piece[];
}

/** Converts drafts to chunks. Reuses the vectors of unchanged chunks, and embeds the other chunks. */
@Injectable()
export class ChunkEmbedder {
  constructor(
    private readonly chunks: ChunkRepository,
    private readonly embedder: Embedder,
  ) {}

  /**
   * Returns the chunks of each run, in order. Embeds equal texts once.
   * @throws the errors of the embedding model; the abort reason of the current signal.
   */
  async embed(runs: readonly PieceRun[]): Promise<NewChunk[][]> {
    const texts = runs.map(({ draft, pieces }) => pieces.map((piece) => textOf(draft, piece)));
    const known = await Promise.all(runs.map(({ draft }, at) => this.known(draft, texts[at] ?? [])));
    const vectors = await this.vectors(new Map(known.flat()), texts.flat());
    return runs.map(({ draft, index, pieces }, run) =>
      pieces.map((piece, offset) => {
        const { content, context, key } = texts[run]?.[offset] ?? textOf(draft, piece);
        const embedding = vectors.get(key);
        if (embedding === undefined) throw new Error('the embedding model returned fewer vectors than texts');
        const at = index + offset;
        return {
          chunkNumber: draft.firstChunk + at,
          content,
          context,
          contentType: piece.contentType ?? draft.chunkType,
          startOffset: draft.tailOffset + piece.start,
          endOffset: draft.tailOffset + piece.end,
          pageNumber: piece.pageNumber,
          metadata: draft.chunkMetadata?.[at] ?? {},
          embedding,
        };
      }),
    );
  }

  /** Returns unit vectors by text key: the known vectors, and embeddings of the texts that have no known vector. */
  private async vectors(
    vectors: Map<string, Float32Array>,
    texts: readonly PieceText[],
  ): Promise<Map<string, Float32Array>> {
    const missing = new Map(texts.filter(({ key }) => !vectors.has(key)).map((text) => [text.key, text]));
    if (missing.size === 0) return vectors;
    const embedded = await this.embedder.embedDocuments(
      Array.from(missing.values(), ({ context, content }) => embeddedText(context, content)),
    );
    for (const [at, key] of [...missing.keys()].entries()) {
      const vector = embedded[at];
      if (vector !== undefined) vectors.set(key, vector);
    }
    return vectors;
  }

  /** Returns the vectors of the chunks that the draft replaces, by text key. */
  private async known(
    { scope, document, firstChunk }: Draft,
    texts: readonly PieceText[],
  ): Promise<[string, Float32Array][]> {
    if (document.chunk_count === 0) return [];
    const hashes = texts.map(({ hash }) => hash);
    const stored = await this.chunks.vectors(scope, document.external_id, hashes, firstChunk);
    return stored.map(({ hash, context, embedding }) => [keyOf(hash, context), embedding]);
  }
}

interface PieceText {
  readonly content: string;
  readonly context: ChunkContext;
  /** SHA-256 of the content. */
  readonly hash: string;
  readonly key: string;
}

function textOf(draft: Draft, piece: Piece): PieceText {
  const content = contentOf(draft, piece);
  const context = piece.context ?? NO_CONTEXT;
  const hash = contentHash(content);
  return { content, context, hash, key: keyOf(hash, context) };
}

function keyOf(hash: string, context: ChunkContext): string {
  return `${hash} ${printContext(context)}`;
}
