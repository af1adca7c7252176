with gone as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = $2::uuid and c.chunk_number >= $3 and c.revision = any($4::bigint[])
  returning c.chunk_id, c.terms, c.length
),
no_postings as (
  delete from postings p
  using gone g, unnest(g.terms) as t(term)
  where p.app_id = $5 and p.term = t.term and p.chunk_id = g.chunk_id
)
select count(*)::integer as dropped from gone
