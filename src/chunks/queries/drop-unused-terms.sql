delete from term_stats where app_id = $1 and key = any($2::bigint[]) and chunk_count <= 0
