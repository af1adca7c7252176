with inserted as (
  insert into chunks (app_id, document_id, revision, chunk_number, content, content_hash, context, content_type,
    start_offset, end_offset, page_number, metadata, terms, length, embedding)
  select $1, $2::uuid, $3::bigint, r.number, r.content,
    sha256(convert_to(r.content, 'UTF8')), r.context, r.content_type, r.start_offset, r.end_offset, r.page, r.metadata::jsonb,
    string_to_array(r.terms, ' '), r.length, r.vector::halfvec
  from unnest($4::integer[], $5::text[], $6::text[], $7::text[],
    $8::integer[], $9::integer[], $10::integer[], $11::text[],
    $12::text[], $13::integer[], string_to_array($14, ' '))
    as r(number, content, context, content_type, start_offset, end_offset, page, metadata, terms, length, vector)
  returning chunk_id, chunk_number, length
)
insert into postings (app_id, term, chunk_id, tf, len)
select $15, r.term, i.chunk_id, r.frequency, i.length
from unnest($16::integer[], $17::text[], $18::integer[])
  as r(number, term, frequency)
join inserted i on i.chunk_number = r.number
