create index if not exists chunks_embedding_384 on chunks using hnsw ((embedding::vector(384)) vector_cosine_ops) with (ef_construction = 128)
