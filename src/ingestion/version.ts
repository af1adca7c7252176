import type { ChunkSizes } from '#reader';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import type { DocumentRow, HistoryEntry, VersionChange } from '../corpus/document-row.js';
import { omit, type TypedMetadata } from '../metadata/typed-metadata.js';
import type { RuledSource, Source, UpdateStrategy } from './job.js';
import type { TextPatch } from './text-patch.js';
import type { Rule } from './rules/rule.js';

/** Content of a new version of a document's text. */
export interface NewContent {
  readonly strategy: UpdateStrategy;
  readonly source: Exclude<Source, { kind: 'posted' }> | { readonly kind: 'inline'; readonly text: string };
  /** File name of the document with the new content. */
  readonly filename: string | null;
  readonly rules: readonly Rule[];
  /** Outcome of the rules in an earlier attempt, which makes a second call of the model unnecessary. */
  readonly ruled?: RuledSource | undefined;
  /** Chunk sizes; absent for the configured sizes. */
  readonly chunks?: ChunkSizes | undefined;
  /** Metadata keys that the caller has set. Their values take precedence over values that rules extract from chunks. */
  readonly explicitKeys: readonly string[];
  /** Whether to index the pages of the file as images. */
  readonly wantsPages: boolean;
}

export interface PagePlan {
  /** Object key of the file. */
  readonly key: string;
  readonly contentType: string;
  /** Number of the file's first page in the document. */
  readonly firstPage: number;
  /** Texts of the pages, in order; null to use the text layers of the pages. */
  readonly texts: readonly string[] | null;
}

/** Pages staged under a revision that is invisible to readers. */
export interface StagedPages {
  readonly revision: string;
  /** Number of the last page in the document. */
  readonly lastPage: number;
}

/** A text patch with its metadata, but without vectors. */
export interface Draft extends TextPatch {
  readonly scope: Scope;
  /** The row on which the draft is based. An appended text is valid for this row only. */
  readonly document: DocumentRow;
  readonly strategy: UpdateStrategy;
  readonly explicitKeys: readonly string[];
  /** Metadata that chunk rules extracted from each new piece; null if there are no chunk rules. */
  readonly chunkMetadata: readonly Readonly<Record<string, unknown>>[] | null;
  /** Media type of the source. */
  readonly contentType: string;
  /** Properties of the source that the parser found. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly extracted: TypedMetadata;
  readonly ruled: RuledSource;
  /** null if the draft has no pages. */
  readonly pages: PagePlan | null;
  /** Whether text and pages stay as they are, and only contexts and vectors change. */
  readonly keepsText: boolean;
}

/** A draft with its chunks: in memory, or staged under a revision that is invisible to readers. */
export interface StagedVersion {
  readonly draft: Draft;
  readonly chunks: readonly NewChunk[] | { readonly revision: string };
  /** null if the version has no new pages. */
  readonly pages: StagedPages | null;
}

/** Removes metadata keys from the chunks of a version, because callers have set these keys in the meantime. */
export function withoutKeys(version: StagedVersion, keys: readonly string[]): StagedVersion {
  if (keys.length === 0) return version;
  const { draft, chunks } = version;
  return {
    ...version,
    draft: {
      ...draft,
      explicitKeys: [...draft.explicitKeys, ...keys],
      chunkMetadata: draft.chunkMetadata?.map((metadata) => omit(metadata, keys)) ?? null,
    },
    chunks:
      'revision' in chunks
        ? chunks
        : chunks.map((chunk) => ({ ...chunk, metadata: omit(chunk.metadata, keys) })),
  };
}

/** Values of a document's row that follow from its new text. */
type TextValues = Pick<
  VersionChange,
  'documentId' | 'textVersion' | 'chunkCount' | 'textLength' | 'liveRevisions' | 'pageRevisions' | 'pageCount'
>;

/**
 * Returns the values of a document's row that follow from its new text.
 * @param current row before the version is written
 */
export function textValues({ draft, chunks, pages }: StagedVersion, current: DocumentRow): TextValues {
  const { startOffset, firstChunk, text } = draft;
  const { live_revisions: liveRevisions } = current;
  const revision = 'revision' in chunks ? chunks.revision : null;
  const keptPages = draft.strategy === 'add' || draft.keepsText ? current.page_revisions : [];
  return {
    documentId: current.external_id,
    textVersion: current.text_version + (draft.keepsText ? 0 : 1),
    chunkCount: firstChunk + draft.pieces.length,
    textLength: startOffset + text.length,
    liveRevisions:
      revision === null ? liveRevisions : firstChunk === 0 ? [revision] : [...liveRevisions, revision],
    pageRevisions: pages === null ? keptPages : [...keptPages, pages.revision],
    pageCount: pages === null ? draft.pageCount : Math.max(draft.pageCount ?? 0, pages.lastPage),
  };
}

interface ChangeMade {
  readonly version: number;
  readonly strategy: HistoryEntry['strategy'];
  /** The new file name; absent or null if the name is unchanged. */
  readonly filename?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Person for whom the caller acts; null: an application. */
  readonly endUserId: string | null;
}

/** Returns an entry of `system_metadata.update_history`. */
export function historyEntry({
  version,
  strategy,
  filename = null,
  metadata = {},
  endUserId,
}: ChangeMade): HistoryEntry {
  return {
    version,
    timestamp: new Date().toISOString(),
    strategy,
    ...(filename === null ? {} : { filename }),
    metadata_updated: Object.keys(metadata).length > 0,
    end_user_id: endUserId,
  };
}

/** Member of `additional_metadata` that lists the metadata keys whose values some chunks override. */
const CHUNK_KEYS = 'chunk_metadata_keys';

/**
 * Adds to `facts` the metadata keys that the document's new chunks override.
 * @param current row before the version is written
 */
export function withChunkKeys(
  facts: Readonly<Record<string, unknown>>,
  current: DocumentRow,
  { startOffset, chunkMetadata }: Draft,
): Record<string, unknown> {
  const { [CHUNK_KEYS]: _, ...rest } = facts;
  const keys = new Set(startOffset === 0 ? [] : chunkKeysOf(current));
  for (const metadata of chunkMetadata ?? []) for (const key of Object.keys(metadata)) keys.add(key);
  return keys.size === 0 ? rest : { ...rest, [CHUNK_KEYS]: [...keys] };
}

/** Returns those of the keys whose values chunks of the document override. */
export function keysInChunks(document: DocumentRow, keys: readonly string[]): string[] {
  const known = new Set(chunkKeysOf(document));
  return keys.filter((key) => known.has(key));
}

function chunkKeysOf({ additional_metadata: facts }: DocumentRow): unknown[] {
  const keys = facts[CHUNK_KEYS];
  return Array.isArray(keys) ? keys : [];
}
