select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = $1), 0)::float8 as chunk_count,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest($2::bigint[]) with ordinality as q(key, position)
    left join term_stats s on s.app_id = $3 and s.key = q.key
    order by q.position
  ) as frequencies
