insert into term_stats (app_id, key, chunk_count, shared_count)
select $1, r.key, r.change, r.shared_change
from unnest($2::bigint[], $3::integer[], $4::integer[])
  as r(key, change, shared_change)
on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count,
    shared_count = term_stats.shared_count + excluded.shared_count
