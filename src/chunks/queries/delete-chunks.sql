with removed as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = $2::uuid and c.chunk_number >= $3 and c.revision = any($4::bigint[])
  returning c.document_id, c.terms
)
select t.key::text as key, count(*)::integer as chunk_count
from removed g, unnest(g.terms) as t(key) group by t.key
union all
select null, count(*)::integer from removed g
