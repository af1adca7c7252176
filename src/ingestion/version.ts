import type { Scope } from '../auth/scope.js';
import type { ChunkSizes } from '../config/combinations.js';
import type { NewChunk } from '../chunks/chunk.js';
import type { DocumentRow, HistoryEntry, StoredFile } from '../corpus/document-row.js';
import { omit, type TypedMetadata } from '../metadata/typed-metadata.js';
import type { JobPayload, RuledSource, Source, UpdateStrategy } from './job.js';
import type { Placement } from './placement.js';
import type { Rule } from './rules/rule.js';

/** Content that is to become a version of a document's text. */
export interface NewContent {
  readonly strategy: UpdateStrategy;
  readonly source: Exclude<Source, { kind: 'posted' }> | { readonly kind: 'inline'; readonly text: string };
  /** Name of the document with the new content. */
  readonly filename: string | null;
  readonly rules: readonly Rule[];
  /** What the rules made of the content before: a model is not asked twice, and would not answer the same. */
  readonly ruled?: RuledSource | undefined;
  /** Sizes of the chunks; absent: those of the configuration. */
  readonly chunks?: ChunkSizes | undefined;
  /** Metadata keys that the caller has set: their values win over those that rules find in chunks. */
  readonly explicitKeys: readonly string[];
  /** Whether the pages of its file are to be found by their looks. */
  readonly wantsPages: boolean;
}

/** Pages that are to be drawn of a file. */
export interface PagePlan {
  /** Of the file in the object store. */
  readonly key: string;
  readonly contentType: string;
  /** Number of its first page in the document. */
  readonly firstPage: number;
  /** Of its pages, in order; null: that of their text layers. */
  readonly texts: readonly string[] | null;
}

/** Pages that are written under a revision that readers do not see. */
export interface StagedPages {
  readonly revision: string;
  /** Number of the last one in the document. */
  readonly lastPage: number;
}

/** New content, split and placed in its document but without vectors. */
export interface Draft extends Placement {
  readonly scope: Scope;
  /** The row that the draft was made on: an addition to another text would be misplaced. */
  readonly document: DocumentRow;
  readonly strategy: UpdateStrategy;
  readonly explicitKeys: readonly string[];
  /** What chunk rules found in each new piece; null when none ran. */
  readonly chunkMetadata: readonly Readonly<Record<string, unknown>>[] | null;
  /** Of the source. */
  readonly contentType: string;
  /** What parsing found out about the source. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Metadata that rules found for the document. */
  readonly extracted: TypedMetadata;
  readonly ruled: RuledSource;
  /** null: it has none. */
  readonly pages: PagePlan | null;
}

/** A draft with its chunks: at hand, or written under a revision that readers do not see. */
export interface StagedVersion {
  readonly draft: Draft;
  readonly chunks: readonly NewChunk[] | { readonly revision: string };
  /** null: no new ones. */
  readonly pages: StagedPages | null;
}

/** A version without what was found in its chunks under keys of the metadata that have been set since. */
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

/** What a version changes in the row of its document, beside the text. */
export interface RowChange {
  /** Whether it raises the version and enters the history; the first version does not, nor one that is made again. */
  readonly isUpdate: boolean;
  /** null keeps the name. */
  readonly filename: string | null;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  readonly useColpali: boolean;
  /** A source that came with the version. */
  readonly file: Omit<StoredFile, 'version'> | null;
  /** The job that makes the whole text again; null when there is none that could. */
  readonly ingestedFrom: JobPayload | null;
  /** Metadata keys that callers have set since the content came: its chunks have no values of their own for them. */
  readonly overruled: readonly string[];
}

/** What `system_metadata.update_history` says about an update. */
export function historyEntry(
  version: number,
  strategy: string,
  filename: string | null,
  metadata: Readonly<Record<string, unknown>>,
): HistoryEntry {
  return {
    version,
    timestamp: new Date().toISOString(),
    strategy,
    ...(filename === null ? {} : { filename }),
    metadata_updated: Object.keys(metadata).length > 0,
  };
}

/** Member of `additional_metadata`: keys that some chunks have values of their own for. */
const CHUNK_KEYS = 'chunk_metadata_keys';

/**
 * `facts` with the keys of the metadata that the document's chunks will have of their own.
 * @param current the row before the version is written
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

/** Those of `keys` that chunks of the document have values of their own for. */
export function keysInChunks(document: DocumentRow, keys: readonly string[]): string[] {
  const known = new Set(chunkKeysOf(document));
  return keys.filter((key) => known.has(key));
}

function chunkKeysOf({ additional_metadata: facts }: DocumentRow): unknown[] {
  const keys = facts[CHUNK_KEYS];
  return Array.isArray(keys) ? keys : [];
}
