import type { ChunkGroup, RetrievedChunk } from './retrieval.types.js';

/**
 * Groups of matches with their neighbours: those within `padding` in the same document that are no matches themselves.
 * Images of pages have images of pages as neighbours, passages have passages.
 * @param neighbours in any order, each once
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

/** Each chunk once: the matches in rank order, then padding in the order of its groups. */
export function flattened(groups: readonly ChunkGroup[]): RetrievedChunk[] {
  const main = groups.map(({ mainChunk }) => mainChunk);
  const padding = new Map(
    groups.flatMap(({ paddingChunks }) => paddingChunks).map((chunk) => [keyOf(chunk), chunk]),
  );
  return [...main, ...padding.values()];
}

/** Passages and pages of a document are numbered apart from each other. */
function keyOf({ documentId, chunkNumber, imageKey }: RetrievedChunk): string {
  return `${documentId} ${imageKey === null ? 'text' : 'page'} ${chunkNumber}`;
}
