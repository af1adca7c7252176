insert into chunks (app_id, document_id, revision, chunk_number, content, content_hash, context, content_type,
  start_offset, end_offset, page_number, metadata, terms, impacts, embedding)
select $1, r.document_id, r.revision, r.number, r.content,
  sha256(convert_to(r.content, 'UTF8')), r.context, r.content_type, r.start_offset, r.end_offset, r.page, r.metadata::jsonb,
  string_to_array(r.terms, ' ')::bigint[], r.impacts::sparsevec, r.vector::halfvec
from unnest(
  $2::uuid[],
  $3::bigint[],
  $4::integer[],
  $5::text[],
  $6::text[],
  $7::text[],
  $8::integer[],
  $9::integer[],
  $10::integer[],
  $11::text[],
  $12::text[],
  string_to_array($13, ' '),
  string_to_array($14, ' '))
  as r(document_id, revision, number, content, context, content_type, start_offset, end_offset, page, metadata, terms, impacts, vector)
