select distinct on (c.document_id, c.chunk_number) c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, c.context
from unnest($1::uuid[], $2::integer[], $3::integer[]) as r(document_id, first, last)
join documents d on d.app_id = $4 and d.external_id = r.document_id
join chunks c on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and c.chunk_number between r.first and r.last
where d.app_id = $5 and d.status = $6 and c.app_id = $7
order by c.document_id, c.chunk_number
