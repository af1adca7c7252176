select distinct on (c.document_id, c.chunk_number) c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata || d.given_metadata as document_metadata,
  coalesce(d.given_filename, d.filename) as filename, d.folder_path, c.context,
  case when c.page_number is not null and c.chunk_number > 0 then (
    select array[b.end_offset, b.page_number] from chunks b
    where b.app_id = $1 and b.document_id = c.document_id and b.chunk_number = c.chunk_number - 1
      and b.revision = any(d.live_revisions)
  ) end as before
from unnest($2::uuid[], $3::integer[], $4::integer[]) as r(document_id, first, last)
join documents d on d.app_id = $5 and d.external_id = r.document_id
join chunks c on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and c.chunk_number between r.first and r.last
where d.app_id = $6 and d.status = $7 and c.app_id = $8
order by c.document_id, c.chunk_number
