import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import type { ChunkRow } from '../../chunks/chunk.js';
import { ChunkRepository } from '../../chunks/chunk.repository.js';
import { DocumentListRepository } from '../../corpus/document-list.repository.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import {
  type AskedDocument,
  questionsAbout,
  questionsByName,
  sectionsIn,
  sentencesIn,
  spread,
} from './suggested-question.js';

/**
 * Number of documents for which questions are suggested. The newest documents are used, because an index finds them
 * quickly among any number of documents.
 */
const DOCUMENTS = 8;
/** Number of chunks at the start of each document that are searched for its title and headings. */
const CHUNKS = 24;

/** Suggests questions that the documents answer. Makes them from sentences, headings and titles. */
@Injectable()
export class SuggestionService {
  constructor(
    private readonly documents: DocumentListRepository,
    private readonly chunks: ChunkRepository,
  ) {}

  /** Suggests questions. If neither the key nor the request names an end user, uses only shared documents. */
  async suggest(scope: Scope, selection: DocumentSelection, count: number): Promise<string[]> {
    const sharedOnly = scope.endUserId === null && (selection.endUserId ?? null) === null;
    const newest = await this.documents.list(
      scope,
      { ...selection, sharedOnly, status: 'completed' },
      { skip: 0, limit: DOCUMENTS, sortBy: 'updated_at', descending: true },
    );
    const ranges = newest.map(({ external_id: documentId }) => ({ documentId, first: 0, last: CHUNKS - 1 }));
    const rows = ranges.length === 0 ? [] : await this.chunks.within(scope, {}, ranges);
    const documents = newest.map(({ external_id: id, filename }) => ({
      filename,
      ...contextOf(rows.filter((row) => row.document_id === id)),
    }));
    const questions = spread(documents.map(questionsAbout), count);
    return questions.length > 0 ? questions : spread(documents.map(questionsByName), count);
  }
}

/**
 * The title and the sections of a document. Headings come from the contexts of its chunks and from the chunks
 * themselves: a context omits the headings that its chunk contains.
 */
function contextOf(chunks: readonly ChunkRow[]): Omit<AskedDocument, 'filename'> {
  return {
    sentences: chunks.flatMap(({ content }) => sentencesIn(content)),
    title: chunks.find(({ context }) => context.title !== null)?.context.title ?? null,
    sections: chunks.flatMap(({ context, content }) => [
      ...context.headings.slice(-1).map(({ text }) => ({ heading: text, text: content })),
      ...sectionsIn(content),
    ]),
  };
}
