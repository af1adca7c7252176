with matching_documents as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where d.app_id = $1 and d.status = $2 and narrowed and d.chunk_count > 0
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from matching_documents s),
lexical as materialized (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $3::float8 * ($4::float8 + $5::float8 * p.len / $6::float8)))::bigint)::bigint as units
  from unnest($7::text[], $8::float8[]) as q(term, idf)
  join postings p on p.app_id = $9 and p.term = q.term
  where (select matching from counted) >= $10::float8
  group by p.chunk_id
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $11::float8 * (1 - (c.distance) / 2) + $12::float8 * (coalesce(l.units, r.units, 0))::float8 / $13::float8 as score
  from matching_documents s
  cross join lateral (
    select c.app_id, c.chunk_id, c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> $14 as distance
    from chunks c
    where c.app_id = $15 and c.document_id = s.external_id and c.revision = any(s.live_revisions)
    offset 0
  ) c
  full join lexical r on r.chunk_id = c.chunk_id
  cross join lateral (
    select sum((1e9::float8 * ($16::float8[])[array_position($17::text[], p.term)] * p.tf /
      (p.tf + $18::float8 * ($19::float8 + $20::float8 * p.len / $21::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $22 and p.term = any($23::text[]) and p.chunk_id = c.chunk_id and not (select matching from counted) >= $24::float8
  ) l
  where coalesce(c.chunk_id, 0) <> 0
  order by score desc, c.document_id, c.chunk_number
  limit $25
),
presented as (
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path
from ranked r
join chunks c on c.app_id = $26 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number
