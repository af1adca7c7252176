import { contentHash } from '../../chunks/content-hash.js';
import { storedContext } from '../../chunks/vectors/vector-column.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

/** A passage in the prompt of an answer, in the form of responses and of stored answers. */
export interface AnswerSource {
  readonly document_id: string;
  readonly chunk_number: number;
  /** In [0, 1]; null for padding. */
  readonly score: number | null;
  readonly filename: string | null;
  /** 1-based; null when unknown. */
  readonly page_number: number | null;
  readonly is_image: boolean;
  /** The beginning of the text. */
  readonly excerpt: string;
}

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 300;

/** Describes a chunk as a source of an answer: its name, and the beginning of its text. */
export function sourceOf(chunk: RetrievedChunk): AnswerSource {
  return {
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    score: chunk.isPadding ? null : chunk.score,
    filename: chunk.filename,
    page_number: chunk.pageNumber,
    is_image: chunk.imageKey !== null,
    excerpt: excerptOf(chunk),
  };
}

interface ChunkFingerprint {
  readonly hash: string;
  readonly start: number;
  readonly length: number;
  readonly contextHash: string;
}

/**
 * What tells what a model saw of a passage from other versions of it: of a chunk the hexadecimal SHA-256 of its text, its
 * start in the text of the document (UTF-16 units), its length (code points) and the SHA-256 of its context; of a page image
 * its object key.
 */
export function fingerprintOf({
  content,
  context,
  imageKey,
  metadata,
}: Pick<RetrievedChunk, 'content' | 'context' | 'imageKey' | 'metadata'>): string {
  if (imageKey !== null) return imageKey;
  const length = Array.from(content).length;
  return [
    contentHash(content),
    String(metadata['start_offset']),
    length,
    contentHash(storedContext(context)),
  ].join(' ');
}

const OF_CHUNK = /^([0-9a-f]{64}) (\d+) (\d+) ([0-9a-f]{64})$/;

/** Reads the fingerprint of a chunk. @returns null for that of a page image */
export function readChunkFingerprint(fingerprint: string): ChunkFingerprint | null {
  const [, hash, start, length, contextHash] = OF_CHUNK.exec(fingerprint) ?? [];
  if (hash === undefined || contextHash === undefined) return null;
  return { hash, start: Number(start), length: Number(length), contextHash };
}

/** The beginning of a chunk's text after the overlap, cut between words. */
function excerptOf({ content, overlap }: Pick<RetrievedChunk, 'content' | 'overlap'>): string {
  const text = content.slice(overlap?.length ?? 0).trim();
  if (text.length <= MAX_EXCERPT) return text;
  const words = text.slice(0, MAX_EXCERPT - 1).replace(/\s+\S*$/, '');
  return `${words.replace(/[\uD800-\uDBFF]$/, '')}…`; // removes half of a surrogate pair
}
