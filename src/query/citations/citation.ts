import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

/** A source that markers may point at: its number in the prompt and the label that is written into the text. */
export interface CitableSource {
  readonly number: number;
  /** `manual.pdf, page 3`, without brackets. */
  readonly label: string;
  readonly chunk: RetrievedChunk;
}

/** A citation in a finished text, at its UTF-16 offsets. */
export interface PlacedCitation {
  readonly start: number;
  readonly end: number;
  readonly source: CitableSource;
}
