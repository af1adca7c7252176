/** URL of the service, and its two documents (see clients.e2e.ts). */
export const URL = process.env.LECTERN_URL;
export const KEY = process.env.LECTERN_API_KEY;
export const BASE = `${URL}/v1`;
export const QUESTION = 'How much does the device weigh?';

/**
 * Answers with the best passages, without a language model; the document they come from shows whether a
 * filter was applied.
 */
export const PASSAGES = 'extractive';
export const OLD = { filters: { year: 2024 } };
export const OLD_ANSWER = /nine kilograms/;

export const LOOKUP = {
  name: 'lookup',
  description: 'Looks a word up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

/** A vector store with one file, and an OpenAI model name that is an alias of the configured model. */
export const STORE = process.env.LECTERN_STORE;
export const CITED = 'weights.txt';
export const MODEL = 'gpt-4.1-mini';
