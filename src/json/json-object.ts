import { ExactNumber } from './exact-number.js';

/** Whether a parsed JSON value is an object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}
