import type { DocumentRow, VersionChange } from '../corpus/document-row.js';
import { omitTyped, overlaid } from '../metadata/typed-metadata.js';
import type { IngestionJob, JobPayload } from './job.js';
import { historyEntry, type NewContent, type StagedVersion, textValues, withChunkKeys } from './version.js';

/** Returns the new content of a job. @param posted text of the document, if this text is the source of the job */
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

/**
 * Entry of `overruled` for a document that was renamed after its file was sent. It cannot be equal to a metadata key,
 * because this key is reserved.
 */
export const FILENAME_KEY = 'filename';

/** Returns the name that the job gives to the document, or null if the document keeps its name. */
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
export function changeOfJob(
  { payload }: IngestionJob,
  version: StagedVersion,
  current: DocumentRow,
  overruled: readonly string[],
): VersionChange<JobPayload | null> {
  const { source, update, rules, chunks } = payload;
  const { draft } = version;
  const { contentType, properties, extracted } = draft;
  const unchanged = {
    ...textValues(version, current),
    version: current.version,
    filename: current.filename,
    useColpali: current.use_colpali,
    storageFiles: [],
    sourceSum: current.source_sha256,
  };
  if (draft.keepsText) {
    return {
      ...unchanged,
      contentType: current.content_type,
      metadata: {},
      metadataTypes: {},
      additionalMetadata: withChunkKeys(current.additional_metadata, current, draft),
      ingestedFrom: current.ingested_from as JobPayload | null,
    };
  }
  const ingestedFrom = { source, update: null, ...(rules && { rules }), ...(chunks && { chunks }) };
  if (update === null) {
    return {
      ...unchanged,
      contentType,
      // Existing values take precedence, because they come from a caller or from an earlier extraction.
      ...omitTyped(extracted, Object.keys(current.metadata)),
      additionalMetadata: withChunkKeys(properties, current, draft),
      ingestedFrom,
    };
  }
  const adds = update.strategy === 'add';
  const filename = overruled.includes(FILENAME_KEY) ? null : update.file.filename;
  // Explicit metadata wins over extracted metadata.
  const metadata = omitTyped(overlaid<unknown, string>(extracted, update), overruled);
  const number = current.version + 1;
  return {
    ...textValues(version, current),
    version: number,
    entry: historyEntry({
      version: number,
      strategy: draft.strategy,
      filename,
      metadata: metadata.metadata,
      endUserId: update.endUserId ?? null,
    }),
    filename: filename ?? current.filename,
    contentType: adds ? current.content_type : contentType,
    ...metadata,
    additionalMetadata: withChunkKeys(adds ? current.additional_metadata : properties, current, draft),
    useColpali: update.useColpali,
    // Records the detected type instead of the declared type.
    storageFiles: [{ ...update.file, content_type: contentType, version: number }],
    sourceSum: adds ? null : (update.file.sha256 ?? null),
    // null for appended content, which cannot be ingested again without the text before it.
    ingestedFrom: adds ? null : ingestedFrom,
  };
}
