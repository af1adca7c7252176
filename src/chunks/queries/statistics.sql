select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = $1), 0)::float8 as chunk_count,
  (select concat(s.xmin, ' ', exists (select from folders f where f.app_id = $2 and f.path = $3)) from corpus_stats s where s.app_id = $4) as version,
  exists (select from folders f where f.app_id = $5 and f.path = $6) as has_vector_stores,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest($7::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = $8 and s.key = q.key
    order by q.position
  ) as frequencies
