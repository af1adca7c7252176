import type { Grades } from './ranking-metrics.js';
import { says } from './says.js';

/** Scope and filters of a question, as in the API. */
export interface QuestionScope {
  readonly filters?: object;
  readonly folder_name?: string | readonly string[];
  readonly folder_depth?: number;
  readonly end_user_id?: string;
}

/** What a question expects, as written in its line of the file. */
export interface Expected {
  /** Positive grades of relevant documents by file name, source path or id. */
  readonly documents: Readonly<Record<string, number>>;
  /** Acceptable pages of the document; an empty list: any page. */
  readonly pages: readonly number[];
  readonly quote: string | null;
  /** Acceptable answers; an empty list: the question expects no answer. */
  readonly answers: readonly string[];
}

/** A retrieved chunk, or a cited one. Citations contain these fields. */
export interface Passage {
  readonly documentId: string;
  readonly chunkNumber: number;
  readonly page: number | null;
  readonly content: string;
}

/**
 * The expected ranking: the ranking unit, and the grades of the relevant units. The unit is a chunk if the question
 * expects a quote, a page if it expects a page, otherwise a document.
 */
export interface Expectation {
  readonly grades: Grades;
  /** Id of the ranking unit that contains a passage. */
  readonly unitOf: (passage: Passage) => string;
}

/** All chunks that contain the quote form one unit, so that one of them in the ranking is enough. */
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
