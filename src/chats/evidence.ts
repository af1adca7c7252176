import type { CitationEntry } from '../answering/citations/citations.js';
import type { AnswerSource } from '../answering/citations/source.js';

/** Maximum number of sources that are stored with an answer. A prompt may contain a thousand sources. */
export const MAX_KEPT_SOURCES = 50;

export interface Citation extends CitationEntry {
  /** Id of the file in the OpenAI protocol, of an answer in this protocol. */
  readonly file_id?: string;
  /** Present if the quote is withheld, because the reader may not read the document. */
  readonly withheld?: true;
}

/** A passage that the model received, or that a file search returned. A file search returns the whole text. */
export interface Source extends AnswerSource {
  /** Id of the file in the OpenAI protocol, of a result of a file search. */
  readonly file_id?: string;
  /** Attributes of the file in the OpenAI protocol, of a result of a file search. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  /** Present if the excerpt is withheld, because the reader may not read the document. */
  readonly withheld?: true;
}

/** A part of an answer that repeats a document word for word. Offsets are UTF-16 code units; `end` is exclusive. */
export interface Quotation {
  readonly start: number;
  readonly end: number;
  readonly document_id: string;
}

/** What an answer is based on, at the time of the answer. */
export interface Evidence {
  readonly citations: readonly Citation[];
  readonly sources: readonly Source[];
  /**
   * What tells the text of each source from other versions of it, in the order of `sources` (`fingerprintOf`). Absent in
   * older answers, and not shown.
   */
  readonly source_fingerprints?: readonly string[];
  /** The quoted parts of an answer without a model; absent for other answers and in older answers. */
  readonly quotations?: readonly Quotation[];
  /** The searched text; absent in older answers. */
  readonly searched?: string;
  /** Name of the model; absent in older answers. */
  readonly model?: string;
  /** Without a model: whether the passages answer the question; absent in older answers. */
  readonly answered?: boolean;
  /** Why the model failed, if passages were quoted in place of its answer. */
  readonly model_failure?: string;
}
