import { bestSupport } from '../../llm/passages/support.js';
import { sentencesOf } from '../../llm/passages/sentences.js';
import { passageLabel, type PromptPassage } from '../prompt/prompt.js';
import type { CitableSource, PlacedCitation } from './citation-writer.js';

/** An entry of `metadata.citations`. */
export interface CitationEntry {
  /** UTF-16 offsets of `text` in the completion. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly page_number: number | null;
  /** The sentence of the chunk that best supports the statement; null for a page without text. */
  readonly quote: string | null;
}

/** How far back the statement before a citation is looked for. */
const STATEMENT_LENGTH = 1_000;

export function citableSources(passages: readonly PromptPassage[]): CitableSource[] {
  return passages.map(({ number, chunk }) => ({ number, chunk, label: passageLabel(chunk) }));
}

/** The citations of a finished text with the sentences they rest on. */
export function citationEntries(completion: string, placed: readonly PlacedCitation[]): CitationEntry[] {
  let statement = '';
  let previousEnd = 0;
  return placed.map(({ start, end, source: { chunk } }) => {
    const between = completion.slice(previousEnd, start);
    // Of citations side by side, each supports the statement before the first.
    if (between.trim() !== '') statement = lastSentence(between.slice(-STATEMENT_LENGTH));
    previousEnd = end;
    return {
      start,
      end,
      text: completion.slice(start, end),
      document_id: chunk.documentId,
      chunk_number: chunk.chunkNumber,
      filename: chunk.filename,
      page_number: chunk.pageNumber,
      quote: bestSupport(chunk.content, statement)?.text ?? null,
    };
  });
}

function lastSentence(text: string): string {
  return sentencesOf(text).at(-1)?.text ?? text;
}
