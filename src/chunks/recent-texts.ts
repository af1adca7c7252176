import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../database/run.js';

/** Documents that are looked at, the newest: their ids begin with the time. */
const DOCUMENTS = 40;

/** How the newest documents of the installation begin: a sample of what is taken in, for its operator. */
export async function recentTexts(dataSource: DataSource): Promise<string[]> {
  const rows = await run<{ text: string }>(
    dataSource,
    sql`select left(c.content, 500) as text
        from (select d.app_id, d.external_id, d.live_revisions from documents d order by d.external_id desc limit ${DOCUMENTS}) d
        join chunks c on c.app_id = d.app_id and c.document_id = d.external_id and c.chunk_number = 0
          and c.revision = any(d.live_revisions)`,
  );
  return rows.map(({ text }) => text);
}
