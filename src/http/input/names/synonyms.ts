import { bare } from './close-name.js';

/**
 * Names that mean the same at different routes, here or in other services. Those of the first groups select documents: a
 * request that asks for them at a route that does not take them gets more than it asked for.
 */
const SELECTING = [
  ['filters', 'filter', 'document_filters', 'metadata_filter', 'metadata_filters', 'query_filter', 'where'],
  ['folder_name', 'folder_names', 'folder', 'folders', 'folder_path', 'folder_id'],
  ['folder_depth', 'depth'],
  ['end_user_id', 'end_user_ids', 'end_user', 'user_id', 'user'],
  ['document_ids', 'document_id', 'external_id', 'doc_id', 'file_id'],
  ['filename', 'file_name'],
] as const;

const OTHERS = [
  ['k', 'top_k', 'limit', 'n_results', 'num_results', 'max_results', 'page_size'],
  ['skip', 'offset'],
  ['min_score', 'score_threshold', 'similarity_threshold'],
  ['chat_id', 'conversation_id', 'session_id', 'thread_id'],
  ['query', 'question', 'q'],
  ['stream_response', 'stream'],
  ['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ['schema', 'json_schema', 'response_schema', 'response_format'],
] as const;

const GROUPS: readonly (readonly string[])[] = [...SELECTING, ...OTHERS];

/** Returns the known name with the same meaning as another name. */
export function synonymOf(name: string, known: readonly string[]): string | undefined {
  const spelled = bare(name);
  const group = GROUPS.find((names) => names.some((one) => bare(one) === spelled));
  return group?.find((one) => known.includes(one));
}

const NAMES_THAT_SELECT: readonly string[] = [
  ...SELECTING.map(([first]) => first).filter((name) => name !== 'filename'),
  'document_filters',
];

/** Whether a name selects documents here or in other services. */
export function wouldSelectDocuments(name: string): boolean {
  const spelled = bare(name);
  return SELECTING.some((names) => names.some((one) => bare(one) === spelled));
}

/** Whether a name of this service selects documents, at all routes that take it. */
export function selectsDocuments(name: string): boolean {
  return NAMES_THAT_SELECT.includes(name);
}
