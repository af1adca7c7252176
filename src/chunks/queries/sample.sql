with tuned as materialized (
  select set_config('hnsw.iterative_scan', 'off', true) || set_config('hnsw.ef_search', $1, true) as value
),
near as materialized (
  select c.app_id, c.document_id, c.revision
  from chunks c
  where (select value from tuned) is not null and c.app_id = $2
  order by c.embedding::halfvec(3) <=> $3
  limit $4
),
drawn as materialized (
  select d.chunk_count, array[d.app_id = $5 and d.status = $6,in_range] as meets
  from documents d
  where d.app_id = $7 and d.chunk_count > 0
  order by uuid_hash_extended(d.external_id, 0)
  limit $8
)
select
  (select coalesce(sum(s.chunk_count), 0) from drawn s)::float8 as chunks,
  (select array[coalesce(sum(s.chunk_count) filter (where s.meets[1]), 0),coalesce(sum(s.chunk_count) filter (where s.meets[2]), 0)] from drawn s)::float8[] as taken,
  $9::float8 as near,
  (select count(*) from near c join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) where d.app_id = $10 and d.status = $11)::float8 as near_matching
