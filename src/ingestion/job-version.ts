import type { DocumentRow } from '../corpus/document-row.js';
import { omitTyped, overlaid } from '../metadata/typed-metadata.js';
import type { IngestionJob } from './job.js';
import type { Draft, NewContent, RowChange } from './version.js';

/**
 * The content that a job brings to its document.
 * @param posted the text of the document, where that is its source
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
    filename: update?.file.filename ?? row.filename,
    rules,
    ruled,
    chunks,
    explicitKeys: Object.keys((update ?? row).metadata),
    wantsPages: update?.useColpali ?? row.use_colpali,
  };
}

function inlineText(posted: string | undefined): NewContent['source'] {
  if (posted === undefined) throw new Error('a text that was posted is missing');
  return { kind: 'inline', text: posted };
}

/**
 * What the row of a document changes to with the version that a job has made.
 * @param overruled metadata keys that callers have set since the job came
 */
export function rowChangeOfJob(
  { payload }: IngestionJob,
  draft: Draft,
  current: DocumentRow,
  overruled: readonly string[],
): RowChange {
  const { source, update, rules, chunks } = payload;
  const { contentType, properties, extracted } = draft;
  const ingestedFrom = { source, update: null, ...(rules && { rules }), ...(chunks && { chunks }) };
  if (update === null) {
    return {
      isUpdate: false,
      filename: null,
      contentType,
      // What is there was said by a caller, or found before.
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
    filename: update.file.filename,
    contentType: adds ? current.content_type : contentType,
    // Explicit metadata wins over what rules found.
    ...omitTyped(overlaid<unknown, string>(extracted, update), overruled),
    additionalMetadata: adds ? current.additional_metadata : properties,
    useColpali: update.useColpali,
    // The type as it was recognised, not as it was declared.
    file: { ...update.file, content_type: contentType },
    // What was added cannot be ingested again without what it was added to.
    ingestedFrom: adds ? null : ingestedFrom,
    overruled,
  };
}
