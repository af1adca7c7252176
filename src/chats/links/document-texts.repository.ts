import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { type Scope, shardsOf } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { documentPredicate } from '../../filters/document-predicate.js';

/** What a document that the reader may read says now. */
export interface DocumentText {
  readonly documentId: string;
  /** Those of the asked fingerprints that its visible chunks and pages have. */
  readonly fingerprints: readonly string[];
  /** When its text was replaced last; null: never. */
  readonly replacedAt: Date | null;
}

@Injectable()
export class DocumentTextsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns those of the documents that the reader may read. One statement for each shard.
   * @param fingerprints of passages, see `Evidence.source_fingerprints`
   */
  async list(
    reader: Scope,
    documentIds: readonly string[],
    fingerprints: readonly string[],
  ): Promise<DocumentText[]> {
    const found = await Promise.all(
      shardsOf(reader).map((shard) =>
        run<DocumentText>(
          this.dataSource,
          sql`select d.external_id as "documentId",
                array(select encode(c.content_hash, 'hex') from chunks c
                      where c.app_id = ${shard.appId} and c.document_id = d.external_id
                        and c.revision = any(d.live_revisions)
                        and encode(c.content_hash, 'hex') = any(${fingerprints}::text[])
                      union all
                      select p.object_key from pages p
                      where p.app_id = ${shard.appId} and p.document_id = d.external_id
                        and p.revision = any(d.page_revisions) and p.object_key = any(${fingerprints}::text[])
                     ) as fingerprints,
                (select max((h.entry ->> 'timestamp')::timestamptz) from jsonb_array_elements(d.update_history) as h(entry)
                 where h.entry ->> 'strategy' = 'replace') as "replacedAt"
              from documents d where ${documentPredicate(shard, { documentIds: documentIds.filter((id) => isUuid(id)) })}`,
        ),
      ),
    );
    return found.flat();
  }
}
