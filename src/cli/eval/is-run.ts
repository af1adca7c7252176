import { MEASURE_NAMES } from './measures.js';
import type { Run } from './run.types.js';

type Members = Readonly<Record<string, unknown>>;

/** Whether a value is a run of `lectern eval`, as far as a report or a comparison reads it. */
export function isRun(value: unknown): value is Run {
  return (
    isObject(value) &&
    value['lectern_eval'] === 1 &&
    typeof value['at'] === 'string' &&
    isObject(value['figures']) &&
    isObject(value['latency']) &&
    Array.isArray(value['questions']) &&
    value['questions'].every(isResult)
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
    Array.isArray(found) &&
    isObject(measures) &&
    MEASURE_NAMES.every((name) => measures[name] === null || typeof measures[name] === 'number')
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
