with measured as (
  select c.*
  from unnest(array(
    select distinct i.document_id from (select o.document_id from metadata_order o where o.app_id = $1 and o.name = $2 and o.spread = $3 and o.number = any($4::numeric[]) union all select o.document_id from metadata_order o where o.app_id = $5 and o.name = $6 and o.spread = $7 and o.number <= (select max(p) from unnest($8::numeric[]) p)) i order by 1
  )) as d(external_id)
  cross join lateral (
    select c.app_id, c.chunk_id, c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> $9 as distance
    from chunks c
    where c.app_id = $10 and c.document_id = d.external_id
    offset 0
  ) c
),
pool as (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $11::float8 * ($12::float8 + $13::float8 * p.len / $14::float8)))::bigint)::bigint as units
  from unnest($15::text[], $16::float8[]) as q(term, idf)
  join postings p on p.app_id = $17 and p.term = q.term
  group by p.chunk_id
),
untested as materialized (
  select c.*, coalesce(p.units, 0) as units, $18::float8 * (1 - (c.distance) / 2) + $19::float8 * (coalesce(p.units, 0))::float8 / $20::float8 as score
  from measured c
  full join pool p on p.chunk_id = c.chunk_id
  where coalesce(c.chunk_id, 0) <> 0
  order by score desc, c.document_id, c.chunk_number
  limit $21
),
scored as materialized (
  select c.* from untested c join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions) where d.app_id = $22 and d.status = $23
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $24::float8 * (1 - (c.distance) / 2) + $25::float8 * (c.units + coalesce(l.units, 0))::float8 / $26::float8 as score
  from scored c
  cross join lateral (
    select sum((1e9::float8 * ($27::float8[])[array_position($28::text[], p.term)] * p.tf /
      (p.tf + $29::float8 * ($30::float8 + $31::float8 * p.len / $32::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $33 and p.term = any($34::text[]) and p.chunk_id = c.chunk_id
  ) l
  where c.score + $35::float8 >= coalesce((select score from scored order by score desc offset $36 limit 1), 0)
  order by score desc, c.document_id, c.chunk_number
  limit $37
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path, (select case when count(*) = $38 then min(score) end from untested) as next, (select count(*) >= $39 from scored) as has_all_wanted
from ranked r
join chunks c on c.app_id = $40 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
