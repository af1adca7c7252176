insert into corpus_stats (app_id, chunk_count)
values ($1, $2)
on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count
