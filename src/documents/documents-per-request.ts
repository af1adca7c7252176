import type { Check } from '../http/input/check.js';

/** Documents that one request may name. */
export const MOST_DOCUMENTS = 1_000;

/** A list of documents that is not longer than that. */
export const namesFewDocuments: Check = {
  type: 'value_error',
  msg: `Value error, a list has at most ${MOST_DOCUMENTS} members`,
  holds: (value) => !Array.isArray(value) || value.length <= MOST_DOCUMENTS,
};
