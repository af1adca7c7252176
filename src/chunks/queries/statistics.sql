select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = $1), 0)::float8 as chunk_count,
  coalesce((select s.shared_count from corpus_stats s where s.app_id = $2), 0)::float8 as shared_count,
  (select concat(s.xmin, ' ', exists (select from folders f where f.app_id = $3 and f.path = $4)) from corpus_stats s where s.app_id = $5) as version,
  exists (select from folders f where f.app_id = $6 and f.path = $7) as has_vector_stores,
  array(
    select array[coalesce(s.chunk_count, 0), coalesce(s.shared_count, 0)]
    from unnest($8::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = $9 and s.key = q.key
    order by q.position
  ) as counts
