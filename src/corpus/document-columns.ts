import { raw } from 'sql-template-tag';
import type { DocumentRow } from './document-row.js';

const NAMES = {
  app_id: true,
  external_id: true,
  status: true,
  version: true,
  text_version: true,
  content_type: true,
  filename: true,
  metadata: true,
  metadata_types: true,
  additional_metadata: true,
  storage_files: true,
  ingested_from: true,
  folder_path: true,
  folder_id: true,
  end_user_id: true,
  use_colpali: true,
  embedding_model: true,
  page_count: true,
  chunk_count: true,
  text_length: true,
  live_revisions: true,
  progress: true,
  error: true,
  update_history: true,
  created_at: true,
  updated_at: true,
} satisfies Record<keyof DocumentRow, true>;

/** The columns of a {@link DocumentRow}, of `documents d`: the table has others, which only indexes are for. */
export const DOCUMENT_COLUMNS = raw(
  Object.keys(NAMES)
    .map((name) => `d.${name}`)
    .join(', '),
);
