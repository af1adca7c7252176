import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import type { ChunkRow } from '../../chunks/chunk.js';
import { ChunkRepository } from '../../chunks/chunk.repository.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { type AskedDocument, questionsAbout, sectionsIn, spread } from './suggested-question.js';

/** The newest documents are asked about: they are found by an index, however many there are. */
const DOCUMENTS = 8;
/** First chunks of each document, for its title and headings. */
const CHUNKS = 24;

/** Questions that the documents answer, from their titles and headings. */
@Injectable()
export class SuggestionService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly chunks: ChunkRepository,
  ) {}

  /** A key without an end user gets no questions about private documents, unless it names an end user. */
  async suggest(scope: Scope, selection: DocumentSelection, count: number): Promise<string[]> {
    const sharedOnly = scope.endUserId === null && (selection.endUserId ?? null) === null;
    const newest = await this.documents.list(
      scope,
      { ...selection, sharedOnly, status: 'completed' },
      { skip: 0, limit: DOCUMENTS, sortBy: 'updated_at', descending: true },
    );
    const ranges = newest.map(({ external_id: documentId }) => ({ documentId, first: 0, last: CHUNKS - 1 }));
    const rows = ranges.length === 0 ? [] : await this.chunks.within(scope, {}, ranges);
    const questions = newest.map(({ external_id: id, filename }) =>
      questionsAbout({ filename, ...contextOf(rows.filter((row) => row.document_id === id)) }),
    );
    return spread(questions, count);
  }
}

/** The title, and the sections. The context of a chunk leaves out the headings that the chunk contains. */
function contextOf(chunks: readonly ChunkRow[]): Pick<AskedDocument, 'title' | 'sections'> {
  return {
    title: chunks.find(({ context }) => context.title !== null)?.context.title ?? null,
    sections: chunks.flatMap(({ context, content }) => [
      ...context.headings.slice(-1).map(({ text }) => ({ heading: text, text: content })),
      ...sectionsIn(content),
    ]),
  };
}
