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
  const bySeries = new Map<string, RetrievedChunk[]>();
  for (const chunk of neighbours) {
    if (isMatch.has(keyOf(chunk))) continue;
    const series = seriesOf(chunk);
    bySeries.set(series, [...(bySeries.get(series) ?? []), chunk]);
  }
  return matches.map((mainChunk) => ({
    mainChunk,
    paddingChunks: (bySeries.get(seriesOf(mainChunk)) ?? [])
      .filter(({ chunkNumber }) => Math.abs(chunkNumber - mainChunk.chunkNumber) <= padding)
      .sort((one, other) => one.chunkNumber - other.chunkNumber),
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
function seriesOf({ documentId, imageKey }: RetrievedChunk): string {
  return `${documentId} ${imageKey === null ? 'text' : 'page'}`;
}

function keyOf(chunk: RetrievedChunk): string {
  return `${seriesOf(chunk)} ${chunk.chunkNumber}`;
}
