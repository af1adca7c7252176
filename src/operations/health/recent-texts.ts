import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../database/run.js';

/**
 * Number of documents whose beginnings are read. The documents with the highest ids are the newest, because an id
 * begins with its creation time.
 */
const NEWEST_DOCUMENTS = 40;

/**
 * Returns the beginnings of the newest documents of the installation. The health check uses them to warn of languages
 * that the embedding model cannot read.
 */
export async function recentTexts(dataSource: DataSource): Promise<string[]> {
  const rows = await run<{ text: string }>(
    dataSource,
    sql`select left(c.content, 500) as text
        from (select d.app_id, d.external_id, d.live_revisions from documents d order by d.external_id desc limit ${NEWEST_DOCUMENTS}) d
        join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.chunk_number = 0
          and c.revision = any(d.live_revisions)`,
  );
  return rows.map(({ text }) => text);
}
