with inserted as (
  insert into chunks (app_id, document_id, chunk_number, content, content_type, start_offset, end_offset, page_number,
    terms, length, embedding)
  select $1, $2::uuid, r.number, r.content, r.content_type, r.start_offset, r.end_offset, r.page,
    string_to_array(r.terms, ' '), r.length, r.vector::halfvec
  from unnest($3::integer[], $4::text[], $5::text[],
    $6::integer[], $7::integer[], $8::integer[], $9::text[],
    $10::integer[], $11::text[])
    as r(number, content, content_type, start_offset, end_offset, page, terms, length, vector)
  returning chunk_id, chunk_number, length
)
insert into postings (app_id, term, chunk_id, tf, len)
select $12, r.term, i.chunk_id, r.frequency, i.length
from unnest($13::integer[], $14::text[], $15::integer[])
  as r(number, term, frequency)
join inserted i on i.chunk_number = r.number
