with removed as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = any($2::uuid[]) and exists (
    select from documents d
    where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions))
  returning c.document_id, c.terms
),
added as (select c.document_id, c.terms from chunks c where false),
moved as materialized (
  select w.terms, w.change, case when d.in_shared_statistics then w.change else 0 end as shared_change
  from (
    select g.document_id, g.terms, -1 as change from removed g
    union all
    select n.document_id, n.terms, 1 from added n
  ) w
  join documents d on d.app_id = $3 and d.external_id = w.document_id
),
changed as materialized (
  select t.key, sum(t.change)::integer as change, sum(t.shared_change)::integer as shared_change
  from (select unnest(m.terms) as key, m.change, m.shared_change from moved m) t
  group by t.key having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, shared_count)
  select $4, coalesce((select sum(m.change) from moved m), 0), coalesce((select sum(m.shared_change) from moved m), 0)
  from (select count(*) from changed) as all_counted
  on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    shared_count = corpus_stats.shared_count + excluded.shared_count
  returning app_id
),
terms as (
  insert into term_stats (app_id, key, chunk_count, shared_count)
  select l.app_id, t.key, t.change, t.shared_change from corpus l cross join changed t
  on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count,
    shared_count = term_stats.shared_count + excluded.shared_count
  returning key, chunk_count
)
select t.key::text as key from terms t where t.chunk_count <= 0
