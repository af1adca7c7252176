with question as materialized (
  select $1::vector(3)::halfvec(3) as vector, $2::sparsevec as words
),
tuned as materialized (
  select set_config('hnsw.ef_search', $3, true),
    set_config('hnsw.max_scan_tuples', $4, true), set_config('hnsw.iterative_scan', 'relaxed_order', true)
),
nearest_unfiltered as materialized (
  select exists (select from documents d where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and d.app_id = $5 and d.status = $6 offset 0) as matches
  from chunks c
  where exists (select from tuned) and c.app_id = $7
  order by c.embedding::vector(3) <=> (select vector from question)::vector(3)
  limit 88
),
nearest as materialized (
  select c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> (select vector from question) as distance, -(c.impacts <#> (select words from question)) as words
  from chunks c
  where exists (select from tuned) and c.app_id = $8
    and exists (select from documents d where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and d.app_id = $9 and d.status = $10 offset 0)
  order by c.embedding::vector(3) <=> (select vector from question)::vector(3)
  limit 88
),
lexical as materialized (
  select c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> (select vector from question) as distance, -(c.impacts <#> (select words from question)) as words
  from chunks c
  where c.app_id = $11 and c.terms && $12::bigint[]
  limit 400
),
scored as (
  select c.*, $13::float8 * greatest(0, 1 - c.distance / $14::float8) + $15::float8 * c.words as score
  from (select * from nearest union all select * from lexical) c
  order by score desc, c.document_id, c.chunk_number
  offset 0
),
ranked as (
  select distinct s.score, s.document_id, s.chunk_number, s.revision, s.distance
  from (
    select c.* from scored c
    cross join lateral (
      select from documents d
      where d.app_id = $16 and d.external_id = c.document_id and c.revision = any(d.live_revisions) and d.app_id = $17 and d.status = $18
      offset 0
    ) d
    limit 8
  ) s
  order by s.score desc, s.document_id, s.chunk_number
  limit 4
)
select r.score, r.distance, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata || d.given_metadata as document_metadata,
  coalesce(d.given_filename, d.filename) as filename, d.folder_path, c.context,
  case when c.page_number is not null and c.chunk_number > 0 then (
    select array[b.end_offset, b.page_number] from chunks b
    where b.app_id = $19 and b.document_id = c.document_id and b.chunk_number = c.chunk_number - 1
      and b.revision = any(d.live_revisions)
  ) end as before, (select concat(s.xmin, ' ', exists (select from folders f where f.app_id = $20 and f.path = $21)) from corpus_stats s where s.app_id = $22) as version, (select case when count(*) = 88 then max(distance) end from nearest) as farthest, (select count(*) from nearest_unfiltered where matches)::integer as matching_nearest
from ranked r
join chunks c on c.app_id = $23 and c.document_id = r.document_id and c.chunk_number = r.chunk_number and c.revision = r.revision
join documents d on d.app_id = $24 and d.external_id = r.document_id
order by r.score desc, r.document_id, r.chunk_number
