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
edge as materialized (
  select case when count(*) = $8 then max(distance) end as farthest from dense
),
pool as materialized (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $9::float8 * ($10::float8 + $11::float8 * p.len / $12::float8)))::bigint)::bigint as units
  from unnest($13::text[], $14::float8[]) as q(term, idf)
  join postings p on p.app_id = $15 and p.term = q.term
  group by p.chunk_id
),
floor as materialized (
  select $16::float8 * (1 - (n.distance) / 2) + $17::float8 * (coalesce(p.units, 0))::float8 / $18::float8 as score
  from dense n left join pool p on p.chunk_id = n.chunk_id
  order by score desc offset $19 limit 1
),
lexical_top as materialized (
  select s.chunk_id, s.units
  from (
    select s.chunk_id, s.units from edge, pool s
    where coalesce($20::float8 * (1 - (farthest) / 2) + $21::float8 * (s.units)::float8 / $22::float8 + $23::float8 >= (select score from floor), true)
      or s.units >= coalesce((select units from pool order by units desc offset $24 limit 1), 0)
    order by s.units desc
    offset 0
  ) s
  join chunks c on c.app_id = $25 and c.chunk_id = s.chunk_id
  join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $26 and d.status = $27
  order by s.units desc
  limit $28
),
scored as materialized (
  select c.*, coalesce(p.units, 0) as units, $29::float8 * (1 - (c.distance) / 2) + $30::float8 * (coalesce(p.units, 0))::float8 / $31::float8 as score
  from (
    select c.chunk_id, c.document_id, c.chunk_number, c.embedding::halfvec(3) <=> $32 as distance
    from (select chunk_id from dense union select chunk_id from lexical_top) u
    join chunks c on c.app_id = $33 and c.chunk_id = u.chunk_id
    offset 0
  ) c
  full join pool p on p.chunk_id = c.chunk_id
  where coalesce(c.chunk_id, 0) <> 0
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $34::float8 * (1 - (c.distance) / 2) + $35::float8 * (c.units + coalesce(l.units, 0))::float8 / $36::float8 as score
  from scored c
  cross join lateral (
    select sum((1e9::float8 * ($37::float8[])[array_position($38::text[], p.term)] * p.tf /
      (p.tf + $39::float8 * ($40::float8 + $41::float8 * p.len / $42::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $43 and p.term = any($44::text[]) and p.chunk_id = c.chunk_id
  ) l
  where c.score + $45::float8 >= coalesce((select score from scored order by score desc offset $46 limit 1), 0)
  order by score desc, c.document_id, c.chunk_number
  limit $47
),
evidence as materialized (
  select
    case when count(*) = $48 then min(t.units) end::float8 / 1e9::float8 as weakest,
    count(n.chunk_id)::float8 as confirmed,
    (count(*) filter (where n.chunk_id is null and s.distance < (select farthest from edge)))::float8 as missed
  from lexical_top t
  join scored s on s.chunk_id = t.chunk_id
  left join dense n on n.chunk_id = t.chunk_id
)
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context, (select farthest from edge) as farthest, (select weakest from evidence) as weakest, (select confirmed from evidence) as confirmed, (select missed from evidence) as missed
from ranked r
join chunks c on c.app_id = $49 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
order by r.score desc, r.document_id, r.chunk_number
