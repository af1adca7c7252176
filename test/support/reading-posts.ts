/** Routes whose request has a body, but which change nothing. */
const READING_POSTS = [
  'POST /retrieve/chunks',
  'POST /retrieve/chunks/grouped',
  'POST /retrieve/docs',
  'POST /batch/chunks',
  'POST /batch/documents',
  'POST /search/documents',
  'POST /documents',
  'POST /documents/list_docs',
  'POST /documents/pages',
  'POST /documents/{document_id}/pages/{page_number}/places',
  'POST /folders/details',
  'POST /v1/vector_stores/{vector_store_id}/search',
];

/** A reason for each of them. */
export function reasonsOfReading(reason: string): Readonly<Record<string, string>> {
  return Object.fromEntries(READING_POSTS.map((name) => [name, reason]));
}
