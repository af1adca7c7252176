with in_scope as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where d.app_id = $1 and d.status = $2 and d.chunk_count > 0
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from in_scope s),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $3::float8 * (1 - (c.embedding::halfvec(3) <=> $4) / 2) + $5::float8 * (coalesce(l.units, 0))::float8 / $6::float8 as score
  from in_scope s
  cross join lateral (
    select c.document_id, c.chunk_number, c.chunk_id, c.embedding from chunks c
    where c.app_id = $7 and c.document_id = s.external_id and c.revision = any(s.live_revisions)
    offset 0
  ) c
  cross join lateral (
    select sum((1e9::float8 * ($8::float8[])[array_position($9::text[], p.term)] * p.tf /
      (p.tf + $10::float8 * ($11::float8 + $12::float8 * p.len / $13::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $14 and p.term = any($15::text[]) and p.chunk_id = c.chunk_id
  ) l
  order by score desc, c.document_id, c.chunk_number
  limit $16
),
presented as (
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path
from ranked r
join chunks c on c.app_id = $17 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number
