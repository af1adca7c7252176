import { pageAt } from '../../retrieval/present.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { bestSupport, type Sentence, sentencesOf } from '../passages/sentences.js';

export interface Evidence {
  /** null: the chunk has no sentence, for example a page without text. */
  readonly quote: string | null;
  /** 1-based page where the quote begins; null when unknown. */
  readonly pageNumber: number | null;
}

/** Finds evidence for the statements of one answer. Splits each chunk into sentences only once. */
export class EvidenceFinder {
  private readonly sentences = new Map<RetrievedChunk, readonly Sentence[]>();

  /**
   * Finds the sentence of a chunk with the best support for a statement. If no sentence shares a word with the
   * statement, the page is `page`, or the page of a chunk on one page, or null.
   *
   * @param page page named by the citation, if any; only its sentences are considered
   */
  find(chunk: RetrievedChunk, statement: string, page?: number): Evidence {
    const sentences = this.sentencesOf(chunk).filter(
      ({ start }) => page === undefined || pageAt(chunk, start) === page,
    );
    const support = bestSupport(sentences, statement);
    const onlyPage = page ?? (chunk.overlap === null ? chunk.pageNumber : null);
    if (support === null) return { quote: null, pageNumber: onlyPage };
    const { sentence, share } = support;
    return {
      quote: chunk.content.slice(sentence.start, sentence.end),
      pageNumber: share > 0 ? pageAt(chunk, sentence.start) : onlyPage,
    };
  }

  private sentencesOf(chunk: RetrievedChunk): readonly Sentence[] {
    const known = this.sentences.get(chunk);
    if (known !== undefined) return known;
    const sentences = sentencesOf(chunk.content, chunk.context.table);
    this.sentences.set(chunk, sentences);
    return sentences;
  }
}
