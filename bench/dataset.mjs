import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Folder of the judged collections: `ir` in LECTERN_DATASETS, which is by default beside the project. */
export const datasets = resolve(PROJECT, process.env.LECTERN_DATASETS ?? '../shared/data', 'ir');

/**
 * A collection in BEIR's layout, or undefined when it is not there.
 * Thakur et al., "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models", 2021.
 * @returns documents ({ id, text }, title first), judged queries ({ id, text, grades: Map of document id to grade })
 */
export function readDataset(name) {
  const folder = join(datasets, name);
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
