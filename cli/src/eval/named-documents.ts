import type { NamedDocument } from './service-under-test.js';
import type { Problem, Question } from './question-file.js';

/** Resolves the document names in questions to ids. Returns errors for unknown names and pages. */
export function resolveNames(
  questions: readonly Question[],
  documents: readonly NamedDocument[],
): { ids: Map<string, string>; problems: Problem[] } {
  const called = idsByName(documents);
  const pageCounts = new Map(documents.map(({ id, pageCount }) => [id, pageCount]));
  const ids = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { line, expected } of questions) {
    for (const name of Object.keys(expected.documents)) {
      const [id, ...others] = called.get(name) ?? [];
      const quoted = JSON.stringify(name);
      if (id === undefined) problems.push({ line, message: `document not found: ${quoted}` });
      else if (others.length > 0) {
        const count = others.length + 1;
        problems.push({ line, message: `${count} documents are named ${quoted}: use an id` });
      } else {
        ids.set(name, id);
        const message = pageProblem(quoted, expected.pages, pageCounts.get(id) ?? null);
        if (message !== null) problems.push({ line, message });
      }
    }
  }
  return { ids, problems };
}

/**
 * Error message about expected pages that the document does not have; null if it has all of them.
 *
 * @param count number of pages; null if unknown
 */
function pageProblem(name: string, pages: readonly number[], count: number | null): string | null {
  if (count === null) return null;
  const missing = pages.filter((page) => page > count);
  if (missing.length === 0) return null;
  return count === 0
    ? `${name} has no pages`
    : `${name} has no page ${missing.join(', ')}; its last page is ${count}`;
}

export function namesIn(questions: readonly Question[]): string[] {
  return [...new Set(questions.flatMap(({ expected }) => Object.keys(expected.documents)))];
}

/**
 * Document ids by name. The id of a document is also a name of it, and takes precedence over an equal file name or path
 * of another document.
 */
function idsByName(documents: readonly NamedDocument[]): Map<string, readonly string[]> {
  const names = new Map<string, Set<string>>();
  for (const { id, filename, sourcePath } of documents) {
    for (const name of [filename, sourcePath]) {
      if (name !== null) names.set(name, (names.get(name) ?? new Set()).add(id));
    }
  }
  const ids = documents.map(({ id }): [string, string[]] => [id, [id]]);
  return new Map([...[...names].map(([name, found]): [string, string[]] => [name, [...found]]), ...ids]);
}
