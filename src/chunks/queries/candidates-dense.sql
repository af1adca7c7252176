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
edge as materialized (
  select case when count(*) = $8 then max(distance) end as farthest from dense
),
scored as materialized (
  select c.*, 0 as units, $9::float8 * (1 - (c.distance) / 2) as score
  from (
    select c.chunk_id, c.document_id, c.chunk_number, c.embedding::halfvec(3) <=> $10 as distance
    from (select chunk_id from dense) u
    join chunks c on c.app_id = $11 and c.chunk_id = u.chunk_id
    offset 0
  ) c
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, c.score from scored c
  order by score desc, c.document_id, c.chunk_number
  limit $12
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context, (select farthest from edge) as farthest
from ranked r
join chunks c on c.app_id = $13 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
