insert into term_stats (app_id, term, chunk_count)
select $1, r.term, r.change from unnest($2::text[], $3::integer[]) as r(term, change)
on conflict (app_id, term) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count
