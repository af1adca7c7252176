delete from term_stats where app_id = $1 and term = any($2::text[]) and chunk_count <= 0
