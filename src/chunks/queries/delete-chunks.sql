with gone as (
  delete from chunks
  where app_id = $1 and document_id = $2::uuid and chunk_number >= $3
  returning chunk_id, terms, length
),
removed as (
  delete from postings p
  using gone g, unnest(g.terms) as t(term)
  where p.app_id = $4 and p.term = t.term and p.chunk_id = g.chunk_id
)
select g.terms, g.length from gone g
