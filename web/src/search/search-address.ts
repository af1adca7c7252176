import { formOf, retrievalOf, type RetrievalForm } from './retrieval-form.js';

/** A question and options as parameters of the view's address, so that a search can be linked to. */
export interface AddressedSearch {
  readonly question: string;
  readonly form: RetrievalForm;
}

/** @returns the parameters; undefined members are not set */
export function addressOf({ question, form }: AddressedSearch): Readonly<Record<string, string | undefined>> {
  const { query: _, ...options } = retrievalOf(form, question, null);
  const isPlain = Object.keys(options).length === 0;
  return { q: question, options: isPlain ? undefined : JSON.stringify(options) };
}

/** The search that the address names; null if it names none. */
export function searchIn(params: URLSearchParams): AddressedSearch | null {
  const question = params.get('q')?.trim() ?? '';
  if (question === '') return null;
  return { question, form: formOf(optionsIn(params.get('options'))) };
}

function optionsIn(text: string | null): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(text ?? '{}');
    return typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {};
  } catch {
    return {}; // an address that was typed by hand
  }
}
