with gone as (
  delete from chunks c
  where c.app_id = $1 and c.document_id = any($2::uuid[]) and exists (
    select from documents d
    where d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions))
  returning c.chunk_id, c.terms, c.length
),
no_postings as (
  delete from postings p
  using gone g, unnest(g.terms) as t(term)
  where p.app_id = $3 and p.term = t.term and p.chunk_id = g.chunk_id
),
come as (select c.terms, c.length from chunks c where false),
changed as materialized (
  select t.term, sum(t.change)::integer as change
  from (
    select unnest(g.terms) as term, -1 as change from gone g
    union all
    select unnest(n.terms), 1 from come n
  ) t
  group by t.term having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, total_length)
  select $4, (select count(*) from come) - (select count(*) from gone),
    coalesce((select sum(n.length) from come n), 0) - coalesce((select sum(g.length) from gone g), 0)
  from (select count(*) from changed) as all_counted
  on conflict (app_id) do update set
    chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    total_length = corpus_stats.total_length + excluded.total_length
  returning app_id
),
terms as (
  insert into term_stats (app_id, term, chunk_count)
  select l.app_id, t.term, t.change from corpus l cross join changed t
  on conflict (app_id, term) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count
  returning term, chunk_count
)
select t.term from terms t where t.chunk_count <= 0
