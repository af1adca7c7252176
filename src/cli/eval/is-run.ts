import { MEASURE_NAMES } from './measures.js';
import type { Run } from './run.types.js';

type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a run of `lectern eval`, as far as a report or a comparison reads it. */
export function isRun(value: unknown): value is Run {
  if (!isObject(value) || value['lectern_eval'] !== 1) return false;
  const { at, figures, latency, questions } = value;
  return (
    typeof at === 'string' &&
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
  const { key, question, scope, expected, measures, found } = value;
  return (
    typeof key === 'string' &&
    typeof question === 'string' &&
    isObject(scope) &&
    isObject(expected) &&
    isObject(expected['documents']) &&
    Array.isArray(expected['pages']) &&
    Array.isArray(expected['answers']) &&
    isObject(measures) &&
    MEASURE_NAMES.every((name) => measures[name] === null || typeof measures[name] === 'number') &&
    Array.isArray(found) &&
    found.every((one) => isObject(one) && typeof one['score'] === 'number')
  );
}

/** null, or an object with these numbers. */
function isNullOr(value: unknown, numbers: readonly string[]): boolean {
  return value === null || (isObject(value) && numbers.every((name) => typeof value[name] === 'number'));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
