import type { Grades } from './ranking-metrics.js';
import { says } from './says.js';

/** Which documents a question looks at, as the service takes it. */
export interface QuestionScope {
  readonly filters?: object;
  readonly folder_name?: string | readonly string[];
  readonly folder_depth?: number;
  readonly end_user_id?: string;
}

/** What a good answer to a question looks like, as the line has it. */
export interface Expected {
  /** File names, source paths or ids of relevant documents, with their grades above 0. */
  readonly documents: Readonly<Record<string, number>>;
  /** Of the one document: any of these pages will do; empty without any. */
  readonly pages: readonly number[];
  readonly quote: string | null;
  /** Any of these will do; empty without any. */
  readonly answers: readonly string[];
}

/** A chunk, or what is known of a cited one. */
export interface Passage {
  readonly documentId: string;
  readonly chunkNumber: number;
  readonly page: number | null;
  readonly content: string;
}

/**
 * What is ranked for a question, and which of it is relevant: chunks when a quote is expected, pages when a page is,
 * documents otherwise.
 */
export interface Expectation {
  readonly grades: Grades;
  /** What of the ranking a passage stands for. */
  readonly unitOf: (passage: Passage) => string;
}

/** The one unit of all chunks that have the quote: finding it once is enough. */
const QUOTE = 'the quote';

/**
 * @param ids of the documents, by the name that the question gives them
 * @returns null when the question expects nothing but an answer
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
