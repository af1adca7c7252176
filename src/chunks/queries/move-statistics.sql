with flipped as (
  update documents d set in_shared_statistics = not d.in_shared_statistics
  where d.app_id = $1 and d.external_id = any($2::uuid[]) and d.in_shared_statistics <> ($3 = any(d.readers))
  returning d.external_id, d.live_revisions, d.in_shared_statistics
),
moved as materialized (
  select c.terms, case when f.in_shared_statistics then 1 else -1 end as change
  from flipped f
  join chunks c on c.app_id = $4 and c.document_id = f.external_id and c.revision = any(f.live_revisions)
),
changed as materialized (
  select t.key, sum(t.change)::integer as change
  from (select unnest(m.terms) as key, m.change from moved m) t
  group by t.key having sum(t.change) <> 0
),
corpus as (
  insert into corpus_stats (app_id, chunk_count, shared_count)
  select $5, 0, sum(m.change) from moved m cross join (select count(*) from changed) as all_counted
  having count(*) > 0
  on conflict (app_id) do update set chunk_count = corpus_stats.chunk_count + excluded.chunk_count,
    shared_count = corpus_stats.shared_count + excluded.shared_count
  returning app_id
)
insert into term_stats (app_id, key, chunk_count, shared_count)
select l.app_id, t.key, 0, t.change from corpus l cross join changed t
on conflict (app_id, key) do update set chunk_count = term_stats.chunk_count + excluded.chunk_count,
    shared_count = term_stats.shared_count + excluded.shared_count
