with removed as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = $2::uuid and c.chunk_number >= $3 and c.revision = any($4::bigint[])
  returning c.document_id, c.terms
)
select count(*)::integer as dropped from removed
