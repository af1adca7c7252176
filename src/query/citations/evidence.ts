import { pageAt } from '../../retrieval/chunk-pages.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';
import { bestSupport, type Sentence, sentencesOf } from '../passages/sentences.js';

/** What a chunk says in support of a statement. */
export interface Evidence {
  /** null: the chunk has no sentence, such as a page without text. */
  readonly quote: string | null;
  /** 1-based, of the place where the quote begins; null when unknown. */
  readonly pageNumber: number | null;
}

/** Finds the evidence for the statements of one answer; each chunk is cut into sentences once. */
export class EvidenceFinder {
  private readonly sentences = new Map<RetrievedChunk, readonly Sentence[]>();

  /**
   * The sentence of a chunk that supports a statement best. Where no sentence shares a word with the statement, the page
   * is known only of a chunk that is on one page.
   * @param page that the statement itself names, if any: only its sentences count
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
    const sentences = sentencesOf(chunk.content);
    this.sentences.set(chunk, sentences);
    return sentences;
  }
}
