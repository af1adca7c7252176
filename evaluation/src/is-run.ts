import { MEASURE_NAMES } from './measures.js';
import type { Run } from './run.types.js';

type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a run of `lectern eval`. Validates the fields that reports and comparisons read. */
export function isRun(value: unknown): value is Run {
  if (!isObject(value) || value['lectern_eval'] !== 1) return false;
  const { at, url, k, concurrency, failed, incomplete, figures, latency, questions } = value;
  return (
    areAll('string', [at, url, incomplete ?? '']) &&
    areAll('number', [k, concurrency, failed]) &&
    isObject(figures) &&
    MEASURE_NAMES.every((name) => isNullOr(figures[name], ['mean', 'questions'])) &&
    isObject(latency) &&
    ['retrieve', 'query'].every((route) => isNullOr(latency[route], ['p50', 'p95'])) &&
    Array.isArray(questions) &&
    questions.every(isResult)
  );
}

function isResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { key, line, question, scope, expected, measures, found, completion, error } = value;
  return (
    areAll('string', [key, question, completion ?? '', error ?? '']) &&
    areAll('number', [line, value['retrieve_ms'] ?? 0, value['query_ms'] ?? 0]) &&
    isObject(scope) &&
    isObject(expected) &&
    isObject(expected['documents']) &&
    areAll('string', expected['answers']) &&
    areAll('number', expected['pages']) &&
    isObject(measures) &&
    MEASURE_NAMES.every((name) => measures[name] === null || typeof measures[name] === 'number') &&
    Array.isArray(found) &&
    found.every(isFound)
  );
}

function isFound(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { document_id: id, filename, page, score, text } = value;
  return areAll('string', [id, filename ?? '', text]) && areAll('number', [page ?? 0, score]);
}

function areAll(type: 'string' | 'number', values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === type);
}

/** Whether a value is null, or an object with these numeric fields. */
function isNullOr(value: unknown, numbers: readonly string[]): boolean {
  return value === null || (isObject(value) && numbers.every((name) => typeof value[name] === 'number'));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
