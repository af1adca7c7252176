import { printJson } from '../json/exact-json.js';
import type { NewChunk } from './chunk.js';
import { tableLines } from '../lexical/chunk-context.js';
import { storedContext } from './stored-context.js';
import { analyseDocument } from '../lexical/analyse.js';
import { impactsOf } from '../lexical/impacts.js';
import type { CountRow } from './statistics-change.js';
import { sparseText, vectorText } from './column-text.js';
import { indexKeys } from './inverted-index.js';
import type { ChunkColumns } from './write-statements.js';

/** Chunks as the insert takes them, and what they mean for the statistics. */
export interface ChunkRows {
  readonly chunks: ChunkColumns;
  readonly counts: readonly CountRow[];
}

/** Analyses the contents (about a fifth of a millisecond each, on the event loop) and lays the chunks out in columns. */
export function chunkRows(appId: string, chunks: readonly NewChunk[]): ChunkRows {
  const impacts = chunks.map((chunk) => impactsOf(analyseDocument(indexedText(chunk))));
  const keys = impacts.map((each) => indexKeys(appId, each));
  return {
    chunks: {
      numbers: chunks.map(({ chunkNumber }) => chunkNumber),
      contents: chunks.map(({ content }) => content),
      contexts: chunks.map(({ context }) => storedContext(context)),
      contentTypes: chunks.map(({ contentType }) => contentType),
      starts: chunks.map(({ startOffset }) => startOffset),
      ends: chunks.map(({ endOffset }) => endOffset),
      pages: chunks.map(({ pageNumber }) => pageNumber),
      metadata: chunks.map(({ metadata }) => printJson(metadata)),
      terms: keys.map((each) => each.join(' ')),
      impacts: impacts.map(sparseText).join(' '),
      vectors: chunks.map(({ embedding }) => vectorText(embedding)).join(' '),
    },
    counts: countsOf(keys),
  };
}

/**
 * A chunk is found by its own words and, where it is a piece of a table, by the caption and header above it: a question
 * for a cell names the column.
 */
function indexedText({ content, context: { table } }: Pick<NewChunk, 'content' | 'context'>): string {
  return [...(table === null ? [] : tableLines(table)), content].join('\n');
}

function countsOf(keys: readonly (readonly bigint[])[]): CountRow[] {
  const holding = new Map<bigint, number>();
  for (const key of keys.flat()) holding.set(key, (holding.get(key) ?? 0) + 1);
  return [
    ...Array.from(holding, ([key, count]) => ({ key: String(key), chunk_count: count })),
    { key: null, chunk_count: keys.length },
  ];
}
