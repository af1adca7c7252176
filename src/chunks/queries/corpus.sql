insert into corpus_stats (app_id, chunk_count, total_length)
values ($1, $2, $3)
on conflict (app_id) do update set
    chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    total_length = corpus_stats.total_length + excluded.total_length
