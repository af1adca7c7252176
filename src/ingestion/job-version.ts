import type { DocumentRow } from '../corpus/document-row.js';
import { omitTyped, overlaid } from '../metadata/typed-metadata.js';
import type { IngestionJob, JobPayload } from './job.js';
import type { Draft, NewContent, RowChange } from './version.js';

/**
 * Returns the new content of a job.
 * @param posted text of the document, if it is the source
 */
export function contentOfJob(
  { payload }: IngestionJob,
  row: DocumentRow,
  posted: string | undefined,
): NewContent {
  const { source, update, rules = [], ruled, chunks } = payload;
  return {
    strategy: update?.strategy ?? 'replace',
    source: source.kind === 'posted' ? inlineText(posted) : source,
    filename: newNameOf(payload) ?? row.filename,
    rules,
    ruled,
    chunks,
    explicitKeys: Object.keys((update ?? row).metadata),
    wantsPages: update?.useColpali ?? row.use_colpali,
  };
}

/** Overruled key of a document that was renamed after its file was sent. Reserved, so it is no metadata key. */
export const FILENAME_KEY = 'filename';

/** The name that the job gives to the document; null: the document keeps its name. */
function newNameOf({ update, overruled = [] }: JobPayload): string | null {
  return update === null || overruled.includes(FILENAME_KEY) ? null : update.file.filename;
}

function inlineText(posted: string | undefined): NewContent['source'] {
  if (posted === undefined) throw new Error('the posted text is missing');
  return { kind: 'inline', text: posted };
}

/**
 * Returns the new values of a document's row for the version of a job.
 * @param overruled metadata keys that callers have set since the job was enqueued
 */
export function rowChangeOfJob(
  { payload }: IngestionJob,
  draft: Draft,
  current: DocumentRow,
  overruled: readonly string[],
): RowChange {
  const { source, update, rules, chunks } = payload;
  const { contentType, properties, extracted } = draft;
  if (draft.keepsText) return { ...unchanged(current), overruled };
  const ingestedFrom = { source, update: null, ...(rules && { rules }), ...(chunks && { chunks }) };
  if (update === null) {
    return {
      isUpdate: false,
      filename: null,
      contentType,
      // Existing values come from a caller or an earlier extraction, and win.
      ...omitTyped(extracted, Object.keys(current.metadata)),
      additionalMetadata: properties,
      useColpali: current.use_colpali,
      file: null,
      ingestedFrom,
      overruled,
    };
  }
  const adds = update.strategy === 'add';
  return {
    isUpdate: true,
    filename: overruled.includes(FILENAME_KEY) ? null : update.file.filename,
    contentType: adds ? current.content_type : contentType,
    // Explicit metadata wins over extracted metadata.
    ...omitTyped(overlaid<unknown, string>(extracted, update), overruled),
    additionalMetadata: adds ? current.additional_metadata : properties,
    useColpali: update.useColpali,
    // The detected type, not the declared one.
    file: { ...update.file, content_type: contentType },
    // Appended content cannot be ingested again without the text before it.
    ingestedFrom: adds ? null : ingestedFrom,
    overruled,
  };
}

function unchanged(current: DocumentRow): Omit<RowChange, 'overruled'> {
  return {
    isUpdate: false,
    filename: null,
    contentType: current.content_type,
    metadata: {},
    metadataTypes: {},
    additionalMetadata: current.additional_metadata,
    useColpali: current.use_colpali,
    file: null,
    ingestedFrom: current.ingested_from as JobPayload | null,
  };
}
