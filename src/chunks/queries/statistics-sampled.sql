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
  ) as counts,
  (
    select array[coalesce(sum(s.chunk_count), 0), coalesce(sum(s.chunk_count) filter (where s.meets[1]), 0),coalesce(sum(s.chunk_count) filter (where s.meets[2]), 0)]::float8[]
    from (
      select d.chunk_count, array[d.app_id = $10 and d.status = $11,in_range] as meets
      from documents d
      where d.app_id = $12 and d.chunk_count > 0
      order by uuid_hash_extended(d.external_id, 0)
      limit $13
    ) s
  ) as sampled
