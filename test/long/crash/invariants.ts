import { join } from 'node:path';
import { readSettings } from '../../../src/config/read-settings.js';
import { openDatabase } from '../../../src/database/open-database.js';
import { LocalObjectStore } from '../../../src/storage/local/local-object-store.js';

/** Statements that must return no row in any state: each finds one kind of orphan or unfinished work. */
const ORPHANS: Readonly<Record<string, string>> = {
  'a document that is still processing, although no job is left': `
    select external_id from documents where status = 'processing' or progress is not null`,
  'a job that waits or runs': `select document_id, state, last_error from ingestion_jobs`,
  'a chunk under a revision that nobody sees': `
    select c.document_id, c.revision, count(*) from chunks c join documents d
      on d.app_id = c.app_id and d.external_id = c.document_id
    where c.revision <> all(d.live_revisions) group by 1, 2`,
  'a page under a revision that nobody sees': `
    select p.document_id, p.revision, count(*) from pages p join documents d
      on d.app_id = p.app_id and d.external_id = p.document_id
    where p.revision <> all(d.page_revisions) group by 1, 2`,
  'two images of one page': `
    select document_id, page_number from pages group by app_id, document_id, page_number having count(*) > 1`,
  'a chunk of a document that is not there': `
    select document_id from chunks c where not exists (
      select from documents d where d.app_id = c.app_id and d.external_id = c.document_id)`,
  'a document with other chunks than it counts': `
    select d.external_id, d.chunk_count, count(c.*), max(c.chunk_number) from documents d
    left join chunks c on c.app_id = d.app_id and c.document_id = d.external_id
    group by d.app_id, d.external_id
    having count(c.*) <> d.chunk_count or count(distinct c.chunk_number) <> d.chunk_count
      or coalesce(max(c.chunk_number), -1) <> d.chunk_count - 1`,
  'a document at another path than its folder': `
    select d.external_id, d.folder_path, f.path from documents d
    left join folders f on f.app_id = d.app_id and f.folder_id = d.folder_id
    where d.folder_path is distinct from f.path`,
  'a folder in one that is not there': `
    select c.path from folders c where c.path like '/%/%' and not exists (
      select from folders p where p.app_id = c.app_id and p.path = regexp_replace(c.path, '/[^/]*$', ''))`,
  'a chunk whose content is not at its place in the text': `
    select c.document_id, c.chunk_number from chunks c where c.content <> (
      select substr(string_agg(t.content, '' order by t.part), c.start_offset + 1, c.end_offset - c.start_offset)
      from document_texts t where t.app_id = c.app_id and t.document_id = c.document_id)`,
  'a text of another length than its document says': `
    select d.external_id, d.text_length, length(string_agg(t.content, '' order by t.part)) from documents d
    left join document_texts t on t.app_id = d.app_id and t.document_id = d.external_id
    group by d.app_id, d.external_id
    having d.text_length <> case when d.text_version = 1 and d.storage_files = '[]' then 0 -- posted, and no version yet
      else coalesce(length(string_agg(t.content, '' order by t.part)), 0) end`,
  'a count of the corpus that its chunks do not have': `
    select s.app_id, s.chunk_count, count(c.*) from corpus_stats s
    left join chunks c on c.app_id = s.app_id group by s.app_id
    having s.chunk_count <> count(c.*)`,
  'a count of a term that the chunks do not have': `
    select coalesce(s.key, h.key) as key, s.chunk_count, h.held from term_stats s
    full join (select c.app_id, t.key, count(*)::integer as held from chunks c, unnest(c.terms) as t(key) group by 1, 2) h
      on h.app_id = s.app_id and h.key = s.key
    where s.chunk_count is distinct from h.held`,
};

/** Stored objects that a document refers to, and those queued for removal. */
const REFERRED = `
  select f->>'key' as key from documents, jsonb_array_elements(storage_files) as f
  union select payload->'source'->>'key' from ingestion_jobs
  union select object_key from pages`;
const TO_BE_REMOVED = 'select key from object_removals';

/**
 * Describes inconsistent data of a service that has stopped and has no work left; empty if there is none.
 * @param environment of the service: its DATA_DIR and DATABASE_URL.
 */
export async function findOrphans(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const settings = readSettings(environment);
  const dataSource = await openDatabase({ ...settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 });
  try {
    const found: string[] = [];
    for (const [what, statement] of Object.entries(ORPHANS)) {
      const rows = await dataSource.query<unknown[]>(`${statement} limit 3`);
      for (const row of rows) found.push(`${what}: ${JSON.stringify(row)}`);
    }
    const keysOf = async (statement: string): Promise<string[]> =>
      (await dataSource.query<{ key: string }[]>(statement)).map(({ key }) => key);
    const [referred, removals] = [new Set(await keysOf(REFERRED)), await keysOf(TO_BE_REMOVED)];
    for await (const { key } of new LocalObjectStore(join(environment['DATA_DIR'] ?? '', 'files')).list()) {
      const isRemoved = removals.some((one) => (one.endsWith('/') ? key.startsWith(one) : key === one));
      if (!referred.delete(key) && !isRemoved) found.push(`a stored object that nothing refers to: ${key}`);
    }
    for (const key of referred) found.push(`a document whose stored object is not there: ${key}`);
    return found;
  } finally {
    await dataSource.destroy();
  }
}
