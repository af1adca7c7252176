import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { readChunkFingerprint } from '../../answering/citations/source.js';
import { type Scope, shardsOf } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { documentPredicate } from '../../filters/document-predicate.js';
import { GIVEN_FILENAME } from '../../filters/given-spelling.js';

/** A passage of an answer. */
export interface Passage {
  readonly documentId: string;
  /** See `Evidence.source_fingerprints`. */
  readonly fingerprint: string;
}

/** What a document that the reader may read says now. */
export interface DocumentText {
  readonly documentId: string;
  readonly filename: string | null;
  /** Those of the asked passages that its visible text and pages have. */
  readonly fingerprints: readonly string[];
  /** When its text was replaced last; null: never. */
  readonly replacedAt: Date | null;
}

@Injectable()
export class DocumentTextsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns those of the documents that the reader may read. One statement for each shard. A chunk to which an update has
   * added text begins with the text of before.
   */
  async list(
    reader: Scope,
    documentIds: readonly string[],
    passages: readonly Passage[],
  ): Promise<DocumentText[]> {
    const valid = documentIds.filter((id) => isUuid(id));
    const asked = passages
      .filter(({ documentId }) => valid.includes(documentId))
      .map((passage) => ({ ...passage, chunk: readChunkFingerprint(passage.fingerprint) }));
    const found = await Promise.all(
      shardsOf(reader).map((shard) =>
        run<DocumentText>(
          this.dataSource,
          sql`with asked as (
                select * from unnest(${asked.map(({ documentId }) => documentId)}::uuid[],
                  ${asked.map(({ fingerprint }) => fingerprint)}::text[], ${asked.map(({ chunk }) => chunk?.hash)}::text[],
                  ${asked.map(({ chunk }) => chunk?.start)}::integer[], ${asked.map(({ chunk }) => chunk?.length)}::integer[],
                  ${asked.map(({ chunk }) => chunk?.contextHash)}::text[])
                  as a(document_id, fingerprint, hash, start_offset, length, context_hash)
              )
              select d.external_id as "documentId", ${GIVEN_FILENAME} as filename,
                array(select a.fingerprint from asked a
                      join chunks c on c.app_id = ${shard.appId} and c.document_id = d.external_id
                        and c.revision = any(d.live_revisions)
                        and (encode(c.content_hash, 'hex') = a.hash
                          or c.start_offset = a.start_offset
                            and encode(sha256(convert_to(left(c.content, a.length), 'UTF8')), 'hex') = a.hash)
                        and encode(sha256(convert_to(c.context, 'UTF8')), 'hex') = a.context_hash
                      where a.document_id = d.external_id
                      union all
                      select a.fingerprint from asked a
                      join pages p on p.app_id = ${shard.appId} and p.document_id = d.external_id
                        and p.revision = any(d.page_revisions) and p.object_key = a.fingerprint
                      where a.document_id = d.external_id) as fingerprints,
                (select max((h.entry ->> 'timestamp')::timestamptz) from jsonb_array_elements(d.update_history) as h(entry)
                 where h.entry ->> 'strategy' = 'replace') as "replacedAt"
              from documents d where ${documentPredicate(shard, { documentIds: valid })}`,
        ),
      ),
    );
    return found.flat();
  }
}
