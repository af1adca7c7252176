with removed as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = any($2::uuid[]) and not exists (
    select from documents d
    where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions))
  returning c.document_id, c.terms
)
select count(*)::integer as dropped from removed
