with question as materialized (
  select $1::vector(3)::halfvec(3) as vector, $2::sparsevec as words
),
scanned as materialized (
  select c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> (select vector from question) as distance, -(c.impacts <#> (select words from question)) as words
  from documents d
  join chunks c on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
  where d.app_id = $3 and d.status = $4 and narrowed and c.app_id = $5
),
ranked as (
  select c.document_id, c.chunk_number, c.revision, c.distance, $6::float8 * greatest(0, 1 - c.distance / $7::float8) + $8::float8 * c.words as score
  from scanned c
  order by score desc, c.document_id, c.chunk_number
  limit 4
)
select r.score, r.distance, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata || d.given_metadata as document_metadata,
  coalesce(d.given_filename, d.filename) as filename, d.folder_path, c.context,
  case when c.page_number is not null and c.chunk_number > 0 then (
    select array[b.end_offset, b.page_number] from chunks b
    where b.app_id = $9 and b.document_id = c.document_id and b.chunk_number = c.chunk_number - 1
      and b.revision = any(d.live_revisions)
  ) end as before, (select concat(s.xmin, ' ', exists (select from folders f where f.app_id = $10 and f.path = $11)) from corpus_stats s where s.app_id = $12) as version, (select count(*) from scanned)::float8 as matching
from ranked r
join chunks c on c.app_id = $13 and c.document_id = r.document_id and c.chunk_number = r.chunk_number and c.revision = r.revision
join documents d on d.app_id = $14 and d.external_id = r.document_id
order by r.score desc, r.document_id, r.chunk_number
