create index if not exists chunks_embedding_384 on chunks using hnsw ((embedding::halfvec(384)) halfvec_cosine_ops) with (ef_construction = 128)
