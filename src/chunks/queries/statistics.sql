select
  coalesce((select s.chunk_count from corpus_stats s where s.app_id = $1), 0)::float8 as chunk_count,
  coalesce((select s.total_length from corpus_stats s where s.app_id = $2), 0)::float8 as total_length,
  (select r.reltuples from pg_class r where r.oid = 'chunks'::regclass)::float8 as all_chunks,
  array(
    select coalesce(s.chunk_count, 0)
    from unnest($3::text[]) with ordinality as q(term, ord)
    left join term_stats s on s.app_id = $4 and s.term = q.term
    order by q.ord
  ) as holding
