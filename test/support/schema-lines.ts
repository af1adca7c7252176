import type { DataSource } from 'typeorm';

/** Columns, constraints, indexes, triggers and functions, each as a line. */
const SCHEMA = `
  with relations as (
    select oid, relname from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
  ), lines as (
    select format('%s.%s %s %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attcollation::regcollation, a.attstorage, pg_get_expr(d.adbin, d.adrelid)) as line
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    union all
    select format('%s %s', c.relname, pg_get_constraintdef(k.oid)) from relations c join pg_constraint k on k.conrelid = c.oid
    union all
    select pg_get_indexdef(i.indexrelid) from relations c join pg_index i on i.indrelid = c.oid
    union all
    select pg_get_triggerdef(t.oid) from relations c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
    union all
    select pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = current_schema()::regnamespace
      and not exists (select 1 from pg_depend e where e.objid = p.oid and e.deptype = 'e')
  )
  select line from lines order by 1`;

/** Describes the schema of a database. Two databases with the same lines have the same schema. */
export async function schemaLines(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ line: string }[]>(SCHEMA);
  return rows.map(({ line }) => line);
}
