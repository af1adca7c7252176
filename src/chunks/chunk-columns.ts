import { printJson } from '../json/exact-json.js';
import type { NewChunk } from './chunk.js';
import { tableLines } from '../lexical/chunk-context.js';
import { storedContext } from './stored-context.js';
import { analyseDocument, type AnalysedDocument } from '../lexical/analyse.js';
import type { CountRow } from './statistics-change.js';
import { vectorText } from './vector-text.js';
import type { ChunkColumns, PostingColumns } from './write-statements.js';

/** Chunks as the insert takes them, and what they mean for the statistics. */
export interface ChunkRows {
  readonly chunks: ChunkColumns;
  readonly postings: PostingColumns;
  readonly counts: readonly CountRow[];
}

/** Analyses the contents (about a fifth of a millisecond each, on the event loop) and lays the chunks out in columns. */
export function chunkRows(chunks: readonly NewChunk[]): ChunkRows {
  const analysed = chunks.map((chunk) => analyseDocument(indexedText(chunk)));
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
      terms: analysed.map(({ terms }) => [...terms.keys()].join(' ')),
      lengths: analysed.map(({ length }) => length),
      vectors: chunks.map(({ embedding }) => vectorText(embedding)).join(' '),
    },
    postings: postingColumns(chunks, analysed),
    counts: countsOf(analysed),
  };
}

/**
 * A chunk is found by its own words and, where it is a piece of a table, by the caption and header above it: a question
 * for a cell names the column.
 */
function indexedText({ content, context: { table } }: Pick<NewChunk, 'content' | 'context'>): string {
  return [...(table === null ? [] : tableLines(table)), content].join('\n');
}

function postingColumns(chunks: readonly NewChunk[], analysed: readonly AnalysedDocument[]): PostingColumns {
  const numbers: number[] = [];
  const terms: string[] = [];
  const frequencies: number[] = [];
  analysed.forEach((document, index) => {
    const number = chunks[index]?.chunkNumber ?? 0;
    for (const [term, frequency] of document.terms) {
      numbers.push(number);
      terms.push(term);
      frequencies.push(frequency);
    }
  });
  return { numbers, terms, frequencies };
}

function countsOf(analysed: readonly AnalysedDocument[]): CountRow[] {
  const holding = new Map<string, number>();
  let totalLength = 0;
  for (const { terms, length } of analysed) {
    totalLength += length;
    for (const term of terms.keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
  }
  return [
    ...[...holding].map(([term, count]) => ({ term, chunk_count: count, total_length: 0 })),
    { term: null, chunk_count: analysed.length, total_length: totalLength },
  ];
}
