insert into corpus_stats (app_id, chunk_count, shared_count)
values ($1, $2, $3)
on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    shared_count = corpus_stats.shared_count + excluded.shared_count
