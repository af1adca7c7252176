with matching_documents as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where d.app_id = $1 and d.status = $2 and narrowed and d.chunk_count > 0 limit $3
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from matching_documents s),
lexical as materialized (
  select p.chunk_id, sum((1e9::float8 * q.idf * p.tf /
      (p.tf + $4::float8 * ($5::float8 + $6::float8 * p.len / $7::float8)))::bigint)::bigint as units
  from unnest($8::text[], $9::float8[]) as q(term, idf)
  join postings p on p.app_id = $10 and p.term = q.term
  where (select matching from counted) >= $11::float8
  group by p.chunk_id
),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $12::float8 * (1 - (c.distance) / 2) + $13::float8 * (coalesce(l.units, r.units, 0))::float8 / $14::float8 as score
  from matching_documents s
  cross join lateral (
    select c.app_id, c.chunk_id, c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> $15 as distance
    from chunks c
    where c.app_id = $16 and c.document_id = s.external_id and c.revision = any(s.live_revisions)
    offset 0
  ) c
  full join lexical r on r.chunk_id = c.chunk_id
  cross join lateral (
    select sum((1e9::float8 * ($17::float8[])[array_position($18::text[], p.term)] * p.tf /
      (p.tf + $19::float8 * ($20::float8 + $21::float8 * p.len / $22::float8)))::bigint)::bigint as units
    from postings p
    where p.app_id = $23 and p.term = any($24::text[]) and p.chunk_id = c.chunk_id and not (select matching from counted) >= $25::float8
  ) l
  where coalesce(c.chunk_id, 0) <> 0 and (select matching from counted) <= $26
  order by score desc, c.document_id, c.chunk_number
  limit $27
),
presented as (
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context
from ranked r
join chunks c on c.app_id = $28 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number
