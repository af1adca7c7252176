import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

const FOLDER = resolve(PROJECT, process.env.LECTERN_DATASETS ?? '../shared/data');

/** Folder of the judged collections: `ir` in LECTERN_DATASETS (default: `shared/data` beside the project). */
export const datasets = join(FOLDER, 'ir');

/** Folder of the multilingual collection: `languages` in LECTERN_DATASETS, with a subfolder per language code. */
export const languages = join(FOLDER, 'languages');

/**
 * Reads the folder `pdf` of LECTERN_DATASETS: PDFs and a `questions.jsonl`, whose lines are `{ question, document,
 * evidence_pages }` with 1-based pages.
 *
 * @returns the folder, the names of the PDFs, and the questions ({ text, document, grades: Map of "file/page" to
 *   grade }); undefined if the folder is missing
 */
export function readPages() {
  const folder = join(FOLDER, 'pdf');
  if (!existsSync(join(folder, 'questions.jsonl'))) return undefined;
  const questions = jsonLines(join(folder, 'questions.jsonl')).map(
    ({ question, document, evidence_pages: pages }) => ({
      text: question,
      document,
      grades: new Map(pages.map((page) => [`${document}/${page}`, 1])),
    }),
  );
  return { folder, files: readdirSync(folder).filter((name) => name.endsWith('.pdf')), questions };
}

/**
 * Reads a collection in BEIR's layout. Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of
 * Information Retrieval Models", 2021.
 *
 * @returns documents ({ id, text }, title first) and judged queries ({ id, text, grades: Map of document id to grade });
 *   undefined if the collection is missing
 */
export function readDataset(name, collections = datasets) {
  const folder = join(collections, name);
  if (!existsSync(join(folder, 'corpus.jsonl'))) return undefined;
  const documents = jsonLines(join(folder, 'corpus.jsonl')).map(({ _id, title, text }) => ({
    id: _id,
    text: title ? `${title}\n\n${text}` : text,
  }));
  const grades = readGrades(join(folder, 'qrels', 'test.tsv'));
  const queries = jsonLines(join(folder, 'queries.test.jsonl'))
    .filter(({ _id }) => grades.has(_id))
    .map(({ _id, text }) => ({ id: _id, text, grades: grades.get(_id) }));
  return { name, documents, queries };
}

function jsonLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function readGrades(path) {
  const grades = new Map();
  for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
    const [query, document, grade] = line.split('\t');
    if (Number(grade) <= 0) continue;
    if (!grades.has(query)) grades.set(query, new Map());
    grades.get(query).set(document, Number(grade));
  }
  return grades;
}
