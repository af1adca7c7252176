with tuned as materialized (
  select set_config('hnsw.ef_search', $1, true) as value
),
dense as materialized (
  select c.chunk_id, c.embedding::halfvec(3) <=> $2 as distance
  from chunks c
  where (select value from tuned) is not null and c.app_id = $3
    and exists (select from documents d where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and d.app_id = $4 and d.status = $5 offset 0)
  order by c.embedding::halfvec(3) <=> $6
  limit $7
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $8::float8 * (1 - (c.embedding::halfvec(3) <=> $9) / 2) as score
  from (select chunk_id from dense) u
  join chunks c on c.app_id = $10 and c.chunk_id = u.chunk_id
  order by score desc, c.document_id, c.chunk_number
  limit $11
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, (select case when count(*) = $12 then max(distance) end from dense) as farthest
from ranked r
join chunks c on c.app_id = $13 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
