import type { ScoredChunk } from '../chunks/chunk.js';
import type { TokenCounter } from '../splitting/piece.js';
import { split } from '../splitting/split.js';

/**
 * Characters up to which a question is searched for as a whole. The one vector of a longer one, a pasted log for
 * instance, is that of its noise, and its telling line is one among many words. Measured in docs/performance.md.
 */
const WHOLE = 600;

/** Characters of a part: a line or two of a log. */
const PART = 200;

/** A part of a very long question is longer, so that there are about so many. */
const PARTS = 16;

const CHARACTERS: TokenCounter = { count: ({ length }) => length };

/** What is searched for, one after another, for a question: itself, and for a long one each of its parts too. */
export function questionParts(question: string): string[] {
  if (question.length <= WHOLE) return [question];
  const size = Math.max(PART, Math.ceil(question.length / PARTS));
  const pieces = split(question, { counter: CHARACTERS, size, overlap: 0 });
  return [question, ...pieces.map(({ start, end }) => question.slice(start, end).trim())];
}

/**
 * The best of what the parts of a question found: a chunk has the best of its scores. Of a document whose new version
 * came in between, chunks of one version only, that of its best chunk.
 */
export function bestOfParts(found: readonly (readonly ScoredChunk[])[], limit: number): ScoredChunk[] {
  const chunks = new Map<string, ScoredChunk>();
  const versions = new Map<string, string>();
  for (const chunk of found.flat().sort((one, other) => other.score - one.score)) {
    const { documentId, chunkNumber, documentVersion } = chunk;
    if (!versions.has(documentId)) versions.set(documentId, documentVersion);
    const place = `${documentId} ${chunkNumber}`;
    if (versions.get(documentId) === documentVersion && !chunks.has(place)) chunks.set(place, chunk);
  }
  return [...chunks.values()].slice(0, limit);
}
