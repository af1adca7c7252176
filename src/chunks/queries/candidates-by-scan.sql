with dense as materialized (
  select c.chunk_id, c.embedding::halfvec(3) <=> $1 as distance
  from documents d
  join chunks c on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $2 and d.status = $3 and narrowed and c.app_id = $4
  order by (c.embedding::halfvec(3) <=> $5) + 0
  limit $6
),
pool as materialized (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $7::float8 * ($8::float8 + $9::float8 * p.len / $10::float8)))::bigint)::bigint as units
  from unnest($11::text[], $12::float8[]) as q(term, idf)
  join postings p on p.app_id = $13 and p.term = q.term
  group by p.chunk_id
),
lexical_top as materialized (
  select s.chunk_id, s.units
  from (select chunk_id, units from pool order by units desc offset 0) s
  join chunks c on c.app_id = $14 and c.chunk_id = s.chunk_id
  join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $15 and d.status = $16
  order by s.units desc
  limit $17
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $18::float8 * (1 - (c.embedding::halfvec(3) <=> $19) / 2) + $20::float8 * (coalesce(pool.units, 0) + coalesce(l.units, 0))::float8 / $21::float8 as score
  from (select chunk_id from dense union select chunk_id from lexical_top) u
  join chunks c on c.app_id = $22 and c.chunk_id = u.chunk_id
  left join pool on pool.chunk_id = u.chunk_id
  cross join lateral (
    select sum((1e9::float8 * ($23::float8[])[array_position($24::text[], p.term)] * p.tf /
      (p.tf + $25::float8 * ($26::float8 + $27::float8 * p.len / $28::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $29 and p.term = any($30::text[]) and p.chunk_id = c.chunk_id
  ) l
  order by score desc, c.document_id, c.chunk_number
  limit $31
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, (select case when count(*) = $32 then max(distance) end from dense) as farthest, (select case when count(*) = $33 then min(units) end from lexical_top)::float8 / 1e9::float8 as weakest
from ranked r
join chunks c on c.app_id = $34 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
