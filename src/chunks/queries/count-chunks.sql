with counted as (select c.terms, c.length from chunks c where c.app_id = $1 and c.document_id = $2::uuid and c.chunk_number >= $3 and c.revision = any($4::bigint[]))
select t.term, count(*)::integer as chunk_count, 0::float8 as total_length
from counted g, unnest(g.terms) as t(term) group by t.term
union all
select null, count(*)::integer, coalesce(sum(g.length), 0)::float8 from counted g
