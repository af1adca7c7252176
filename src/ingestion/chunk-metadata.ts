import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { ChunkWriter } from '../chunks/chunk-writer.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Queryable } from '../database/run.js';
import { omit } from '../filters/overlay-metadata.js';
import type { VersionDraft } from './version-draft.js';

/** Member of `additional_metadata`: keys that some chunks have values of their own for. */
const CHUNK_KEYS = 'chunk_metadata_keys';

/**
 * What is said of a document's parsing once a draft is written, the keys of its chunks' own metadata among it.
 * @param facts of the new content, or of what is there when the draft only adds to it
 */
export function withChunkKeys(
  facts: Readonly<Record<string, unknown>>,
  current: DocumentRow,
  { startOffset, chunkMetadata }: VersionDraft,
): Record<string, unknown> {
  const { [CHUNK_KEYS]: _, ...rest } = facts;
  const keys = new Set(startOffset === 0 ? [] : chunkKeysOf(current));
  for (const metadata of chunkMetadata ?? []) for (const key of Object.keys(metadata)) keys.add(key);
  return keys.size === 0 ? rest : { ...rest, [CHUNK_KEYS]: [...keys] };
}

function chunkKeysOf({ additional_metadata: facts }: DocumentRow): string[] {
  const keys = facts[CHUNK_KEYS];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

/** The chunks of a draft without keys that the caller has set: explicit metadata wins. */
export function withoutKeys(draft: VersionDraft, keys: readonly string[]): VersionDraft {
  const { chunkMetadata } = draft;
  if (chunkMetadata === null || keys.length === 0) return draft;
  return { ...draft, chunkMetadata: chunkMetadata.map((metadata) => omit(metadata, keys)) };
}

/** Keeps what rules found in chunks apart from what callers say. */
@Injectable()
export class ChunkMetadata {
  constructor(private readonly chunks: ChunkWriter) {}

  /** Metadata that is set for a document takes the place of what its chunks have under the same keys. */
  async overrule(
    manager: Queryable,
    { appId }: Scope,
    current: DocumentRow,
    keys: readonly string[],
  ): Promise<void> {
    const known = chunkKeysOf(current);
    const overruled = keys.filter((key) => known.includes(key));
    if (overruled.length === 0) return;
    await this.chunks.dropMetadata(manager, { appId, documentId: current.external_id }, overruled);
  }
}
