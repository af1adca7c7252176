insert into term_stats (app_id, key, chunk_count)
select $1, r.key, r.change from unnest($2::bigint[], $3::integer[]) as r(key, change)
on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count
