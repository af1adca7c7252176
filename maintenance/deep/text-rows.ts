import sql from 'sql-template-tag';
import { run, type Queryable } from '../../src/database/run.js';
import type { TextChunk, TextPart } from './whole-text.js';

export interface Part extends TextPart {
  readonly documentId: string;
}

export interface StoredChunk extends TextChunk {
  readonly documentId: string;
}

/** Number of text parts and number of chunks per statement. A part of a text takes up to 3 MB. */
const PARTS = 16;
const CHUNKS = 500;

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Streams the parts of the texts of documents, by document and part. */
export async function* partsOf(
  database: Queryable,
  appId: string,
  ids: readonly string[],
): AsyncGenerator<Part, void> {
  for (let after: Pick<Part, 'documentId' | 'part'> = { documentId: FIRST_ID, part: -1 }; ;) {
    const rows = await run<Part>(
      database,
      sql`select document_id::text as "documentId", part, start_offset as "startOffset", content from document_texts
          where app_id = ${appId} and document_id = any(${ids}::uuid[])
            and (document_id, part) > (${after.documentId}::uuid, ${after.part}::integer)
          order by document_id, part limit ${PARTS}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last;
  }
}

/** Streams the chunks of documents that readers see, by document and offset. */
export async function* chunksOf(
  database: Queryable,
  appId: string,
  ids: readonly string[],
): AsyncGenerator<StoredChunk, void> {
  type Key = Pick<StoredChunk, 'documentId' | 'start' | 'number'>;
  for (let after: Key = { documentId: FIRST_ID, start: -1, number: -1 }; ;) {
    const rows = await run<StoredChunk>(
      database,
      sql`select c.document_id::text as "documentId", c.chunk_number as number, c.start_offset as start,
            c.end_offset as "end", c.content, encode(c.content_hash, 'hex') as hash
          from chunks c
          join documents d on d.app_id = ${appId} and d.external_id = c.document_id and c.revision = any(d.live_revisions)
          where c.app_id = ${appId} and c.document_id = any(${ids}::uuid[])
            and (c.document_id, c.start_offset, c.chunk_number)
              > (${after.documentId}::uuid, ${after.start}::integer, ${after.number}::integer)
          order by c.document_id, c.start_offset, c.chunk_number limit ${CHUNKS}`,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield* rows;
    after = last;
  }
}
