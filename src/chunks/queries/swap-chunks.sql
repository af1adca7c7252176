with removed as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = $2::uuid and c.chunk_number >= $3 and c.revision = any($4::bigint[])
  returning c.terms
),
added as (select c.terms from chunks c where c.app_id = $5 and c.document_id = $6::uuid and c.chunk_number >= $7 and c.revision = any($8::bigint[])),
changed as materialized (
  select t.key, sum(t.change)::integer as change
  from (
    select unnest(g.terms) as key, -1 as change from removed g
    union all
    select unnest(n.terms), 1 from added n
  ) t
  group by t.key having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count)
  select $9, (select count(*) from added) - (select count(*) from removed)
  from (select count(*) from changed) as all_counted
  on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count
  returning app_id
),
terms as (
  insert into term_stats (app_id, key, chunk_count)
  select l.app_id, t.key, t.change from corpus l cross join changed t
  on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count
  returning key, chunk_count
)
select t.key::text as key from terms t where t.chunk_count <= 0
