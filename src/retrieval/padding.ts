import type { ChunkGroup, RetrievedChunk } from './retrieval.types.js';

/**
 * Groups each match with its neighbours within `padding` in the same document, without other matches. Neighbours of page
 * images are page images; neighbours of passages are passages.
 * @param neighbours distinct chunks in any order
 */
export function grouped(
  matches: readonly RetrievedChunk[],
  neighbours: readonly RetrievedChunk[],
  padding: number,
): ChunkGroup[] {
  const isMatch = new Set(matches.map(keyOf));
  const byKey = new Map(
    neighbours.map((chunk) => [keyOf(chunk), chunk] as const).filter(([key]) => !isMatch.has(key)),
  );
  const distances = Array.from({ length: 2 * padding + 1 }, (_, at) => at - padding);
  return matches.map((mainChunk) => ({
    mainChunk,
    paddingChunks: distances.flatMap(
      (distance) => byKey.get(keyOf({ ...mainChunk, chunkNumber: mainChunk.chunkNumber + distance })) ?? [],
    ),
  }));
}

/** Lists each chunk once: matches in rank order, then padding in group order. */
export function flattened(groups: readonly ChunkGroup[]): RetrievedChunk[] {
  const main = groups.map(({ mainChunk }) => mainChunk);
  const padding = new Map(
    groups.flatMap(({ paddingChunks }) => paddingChunks).map((chunk) => [keyOf(chunk), chunk]),
  );
  return [...main, ...padding.values()];
}

/** Passages and pages of a document have separate number ranges. */
function keyOf({ documentId, chunkNumber, imageKey }: RetrievedChunk): string {
  return `${documentId} ${imageKey === null ? 'text' : 'page'} ${chunkNumber}`;
}
