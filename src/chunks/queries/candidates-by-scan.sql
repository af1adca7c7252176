with measured as (
  select c.chunk_id, c.document_id, c.chunk_number, c.embedding::halfvec(3) <=> $1 as distance
  from documents d
  join chunks c on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $2 and d.status = $3 and narrowed and c.app_id = $4
  offset 0
),
pool as (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $5::float8 * ($6::float8 + $7::float8 * p.len / $8::float8)))::bigint)::bigint as units
  from unnest($9::text[], $10::float8[]) as q(term, idf)
  join postings p on p.app_id = $11 and p.term = q.term
  group by p.chunk_id
),
scored as materialized (
  select c.*, coalesce(p.units, 0) as units, $12::float8 * (1 - (c.distance) / 2) + $13::float8 * (coalesce(p.units, 0))::float8 / $14::float8 as score
  from measured c
  full join pool p on p.chunk_id = c.chunk_id
  where coalesce(c.chunk_id, 0) <> 0
  order by score desc, c.document_id, c.chunk_number
  limit $15
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $16::float8 * (1 - (c.distance) / 2) + $17::float8 * (c.units + coalesce(l.units, 0))::float8 / $18::float8 as score
  from scored c
  cross join lateral (
    select sum((1e9::float8 * ($19::float8[])[array_position($20::text[], p.term)] * p.tf /
      (p.tf + $21::float8 * ($22::float8 + $23::float8 * p.len / $24::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $25 and p.term = any($26::text[]) and p.chunk_id = c.chunk_id
  ) l
  where c.score + $27::float8 >= coalesce((select score from scored order by score desc offset $28 limit 1), 0)
  order by score desc, c.document_id, c.chunk_number
  limit $29
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context, (select case when count(*) = $30 then min(score) end from scored) as next
from ranked r
join chunks c on c.app_id = $31 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
