import type { Completion } from '../types.js';

/** A chunk that the model read. */
export type Source = Completion['sources'][number];

/** A reference to a source in the text of an answer. */
export interface Citation {
  /** UTF-16 offsets of the citation marker in the text. */
  readonly start: number;
  readonly end: number;
  readonly document_id: string;
  readonly chunk_number: number;
  readonly filename: string | null;
  readonly page_number: number | null;
  /** The supporting sentence. */
  readonly quote: string | null;
}

/** The OpenAPI document does not define the members of a citation. */
export function citationsIn(citations: readonly object[] | undefined): readonly Citation[] {
  return (citations ?? []) as readonly Citation[];
}
