with bounded as materialized (
  select b.external_id, b.live_revisions
  from (
    select d.external_id, d.live_revisions, d.chunk_count,
      sum(d.chunk_count) over (order by uuid_hash_extended(d.external_id, 0), d.external_id) as running
    from (
      select d.* from documents d
      where d.app_id = $1 and d.chunk_count > 0 and $2 = any(d.readers) and d.folder_path = '/public'
      order by uuid_hash_extended(d.external_id, 0)
      limit 2000
    ) d
  ) b
  where b.running - b.chunk_count < 20000
),
counted as materialized (
  select array(select t.key from unnest(c.terms) as t(key) where t.key = any($3::bigint[])) as keys
  from bounded b
  cross join lateral (
    select c.terms from chunks c
    where c.app_id = $4 and c.document_id = b.external_id and c.revision = any(b.live_revisions)
    offset 0
  ) c
)
select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = $5), 0)::float8 as chunk_count,
  (select count(*) from counted)::float8 as shared_count,
  (select concat(s.xmin, ' ', exists (select from folders f where f.app_id = $6 and f.path = $7)) from corpus_stats s where s.app_id = $8) as version,
  exists (select from folders f where f.app_id = $9 and f.path = $10) as has_vector_stores,
  array(
    select array[coalesce(s.chunk_count, 0), (select count(*)::integer from counted c where q.key = any(c.keys))]
    from unnest($11::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = $12 and s.key = q.key
    order by q.position
  ) as counts
