import type { Grades } from './ranking-metrics.js';
import { says } from './says.js';

/** Scope and filters of a question, as in the API. */
export interface QuestionScope {
  readonly filters?: object;
  readonly folder_name?: string | readonly string[];
  readonly folder_depth?: number;
  readonly end_user_id?: string;
}

/** The expectation of a question, as in its line. */
export interface Expected {
  /** Positive grades of relevant documents by file name, source path or id. */
  readonly documents: Readonly<Record<string, number>>;
  /** Acceptable pages of the document; empty without any. */
  readonly pages: readonly number[];
  readonly quote: string | null;
  /** Acceptable answers; empty without any. */
  readonly answers: readonly string[];
}

/** A chunk, or the known fields of a cited one. */
export interface Passage {
  readonly documentId: string;
  readonly chunkNumber: number;
  readonly page: number | null;
  readonly content: string;
}

/**
 * The ranking unit of a question and the relevant ids: chunks if a quote is expected, pages if a page is, documents
 * otherwise.
 */
export interface Expectation {
  readonly grades: Grades;
  /** The ranking unit of a passage. */
  readonly unitOf: (passage: Passage) => string;
}

/** All chunks with the quote are one unit: finding it once is enough. */
const QUOTE = 'the quote';

/**
 * @param ids document ids by the names in the question
 * @returns null if the question expects only an answer
 */
export function expectationOf(expected: Expected, ids: ReadonlyMap<string, string>): Expectation | null {
  const { pages, quote } = expected;
  const documents = documentGrades(expected, ids);
  if (quote !== null) {
    const isExpected = (passage: Passage): boolean =>
      (documents.size === 0 || documents.has(passage.documentId)) &&
      (pages.length === 0 || pages.includes(passage.page ?? 0)) &&
      says(passage.content, quote);
    const unitOf = (passage: Passage): string => (isExpected(passage) ? QUOTE : chunkOf(passage));
    return { grades: new Map([[QUOTE, 1]]), unitOf };
  }
  if (pages.length > 0) {
    const [documentId = ''] = documents.keys();
    const grades = new Map(pages.map((page) => [pageOf({ documentId, page }), 1]));
    return { grades, unitOf: pageOf };
  }
  return documents.size === 0 ? null : { grades: documents, unitOf: ({ documentId }) => documentId };
}

function documentGrades({ documents }: Expected, ids: ReadonlyMap<string, string>): Grades {
  return new Map(
    Object.entries(documents).flatMap(([name, grade]) => {
      const id = ids.get(name);
      return id === undefined ? [] : [[id, grade] as const];
    }),
  );
}

function chunkOf({ documentId, chunkNumber }: Passage): string {
  return `${documentId} chunk ${chunkNumber}`;
}

function pageOf({ documentId, page }: Pick<Passage, 'documentId' | 'page'>): string {
  return `${documentId} page ${page ?? '?'}`;
}
