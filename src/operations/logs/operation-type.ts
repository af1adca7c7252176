/** What the clients of this family know operations as, by method and route. */
const KNOWN: Readonly<Record<string, string>> = {
  'POST /query': 'query',
  'POST /retrieve/chunks': 'retrieve_chunks',
  'POST /retrieve/chunks/grouped': 'retrieve_chunks_grouped',
  'POST /retrieve/docs': 'retrieve_docs',
  'POST /search/documents': 'search_documents',
  'POST /batch/documents': 'batch_get_documents',
  'POST /batch/chunks': 'batch_get_chunks',
  'POST /ingest/text': 'ingest_text',
  'POST /ingest/file': 'queue_ingest_file',
  'POST /ingest/files': 'queue_batch_ingest',
  'POST /ingest/requeue': 'requeue_ingestion_jobs',
  'POST /documents': 'list_documents',
  'POST /documents/list_docs': 'list_documents',
  'POST /documents/pages': 'extract_document_pages',
  'POST /documents/delete': 'delete_documents',
  'DELETE /documents/:id': 'delete_document',
  'POST /documents/:id/update_text': 'update_document_text',
  'POST /documents/:id/update_file': 'update_document_file',
  'POST /documents/:id/update_metadata': 'update_document_metadata',
  'POST /folders': 'create_folder',
  'DELETE /folders/:id': 'delete_folder',
  'POST /folders/:id/move': 'move_folder',
  'POST /folders/:id/documents/:id': 'add_document_to_folder',
  'DELETE /folders/:id/documents/:id': 'remove_document_from_folder',
};

/**
 * The name of an operation. One that has none in the family is called by its method and the fixed parts of its route:
 * `post_keys`.
 * @returns null for what is no operation: looking at something that is there.
 */
export function operationTypeOf(method: string, route: string): string | null {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return null;
  const known = KNOWN[`${method} ${route.replace(/:\w+/g, ':id')}`];
  const fixed = route.split('/').filter((part) => part !== '' && !part.startsWith(':') && part !== '*');
  return known ?? [method.toLowerCase(), ...fixed].join('_');
}
