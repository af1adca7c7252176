with tuned as materialized (
  select set_config('hnsw.ef_search', $1, true) as value
),
dense as materialized (
  select c.chunk_id, c.embedding::halfvec(3) <=> $2 as distance
  from chunks c
  where (select value from tuned) is not null and c.app_id = $3
    and exists (select from documents d where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) and d.app_id = $4 and d.status = $5 offset 0)
  order by c.embedding::vector(3) <=> $6::halfvec(3)::vector(3)
  limit $7
),
pool as materialized (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $8::float8 * ($9::float8 + $10::float8 * p.len / $11::float8)))::bigint)::bigint as units
  from unnest($12::text[], $13::float8[]) as q(term, idf)
  join postings p on p.app_id = $14 and p.term = q.term
  group by p.chunk_id
),
lexical_top as materialized (
  select s.chunk_id, s.units
  from (select chunk_id, units from pool order by units desc offset 0) s
  join chunks c on c.app_id = $15 and c.chunk_id = s.chunk_id
  join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $16 and d.status = $17
  order by s.units desc
  limit $18
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $19::float8 * (1 - (c.embedding::halfvec(3) <=> $20) / 2) + $21::float8 * (coalesce(pool.units, 0) + coalesce(l.units, 0))::float8 / $22::float8 as score
  from (select chunk_id from dense union select chunk_id from lexical_top) u
  join chunks c on c.app_id = $23 and c.chunk_id = u.chunk_id
  left join pool on pool.chunk_id = u.chunk_id
  cross join lateral (
    select sum((1e9::float8 * ($24::float8[])[array_position($25::text[], p.term)] * p.tf /
      (p.tf + $26::float8 * ($27::float8 + $28::float8 * p.len / $29::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $30 and p.term = any($31::text[]) and p.chunk_id = c.chunk_id
  ) l
  order by score desc, c.document_id, c.chunk_number
  limit $32
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, (select case when count(*) = $33 then max(distance) end from dense) as farthest, (select case when count(*) = $34 then min(units) end from lexical_top)::float8 / 1e9::float8 as weakest
from ranked r
join chunks c on c.app_id = $35 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
