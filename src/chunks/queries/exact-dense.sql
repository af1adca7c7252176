with matching_documents as materialized (
  select d.external_id, d.live_revisions, d.chunk_count from documents d
  where d.app_id = $1 and d.status = $2 and narrowed and d.chunk_count > 0 limit $3
),
counted as (select coalesce(sum(s.chunk_count), 0)::float8 as matching from matching_documents s),
ranked as (
  select c.chunk_id, c.document_id, c.chunk_number, $4::float8 * (1 - (c.distance) / 2) as score
  from matching_documents s
  cross join lateral (
    select c.app_id, c.chunk_id, c.document_id, c.chunk_number, c.revision, c.embedding::halfvec(3) <=> $5 as distance
    from chunks c
    where c.app_id = $6 and c.document_id = s.external_id and c.revision = any(s.live_revisions)
    offset 0
  ) c
  where true and (select matching from counted) <= $7
  order by score desc, c.document_id, c.chunk_number
  limit $8
),
presented as (
select
  r.score, c.document_id, c.chunk_number, c.content, c.content_type, c.start_offset, c.end_offset, c.page_number,
  c.metadata as chunk_metadata, d.metadata as document_metadata, d.filename, d.folder_path,
  concat_ws(' ', d.text_version, d.live_revisions) as document_version, c.context
from ranked r
join chunks c on c.app_id = $9 and c.chunk_id = r.chunk_id
join documents d on d.app_id = c.app_id and d.external_id = c.document_id
)
select k.matching, p.* from counted k left join presented p on true
order by p.score desc, p.document_id, p.chunk_number
