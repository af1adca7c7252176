with dense as materialized (
  select c.chunk_id, c.embedding::halfvec(3) <=> $1 as distance
  from chunks c
  join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $2 and d.status = $3 and c.app_id = $4
  order by c.embedding::halfvec(3) <=> $5
  limit $6
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $7::float8 * (1 - (c.embedding::halfvec(3) <=> $8) / 2) as score
  from (select chunk_id from dense) u
  join chunks c on c.app_id = $9 and c.chunk_id = u.chunk_id
  order by score desc, c.document_id, c.chunk_number
  limit $10
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, (select max(distance) from dense) as farthest
from ranked r
join chunks c on c.app_id = $11 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
