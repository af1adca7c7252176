import { Injectable } from '@nestjs/common';
import sql, { empty, join, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { type Scope, shardsOf } from '../auth/scope.js';
import { read } from '../database/run.js';
import { documentPredicate, type DocumentSelection } from '../filters/document-predicate.js';
import { type Field, MAX_NAME_LENGTH, MAX_PATH_LEVELS } from '../filters/filter.js';
import { textStartsWith } from '../filters/sql/expressions.js';
import { valuePaths } from '../filters/sql/metadata-jsonpath.js';

/**
 * Number of documents, the newest first, whose metadata is read. Names need every value of a document and values only
 * one field, so that these cost about the same.
 */
const DOCUMENTS = { fields: 10_000, values: 100_000 } as const;

/** Maximum number of groups that a statement returns. */
const MAX_GROUPS = 10_000;

/** Maximum length of a text that is listed as a value, in characters. */
export const MAX_VALUE_LENGTH = 256;

export interface FieldCount {
  readonly name: string;
  /** The type as `$type` names it; null: of any type. */
  readonly type: string | null;
  readonly count: number;
}

export interface ValueCount {
  /** A JSON string, number or boolean. */
  readonly value: string;
  readonly count: number;
}

export interface Facets<T> {
  readonly groups: readonly T[];
  /** Number of documents whose metadata was read. */
  readonly documents: number;
  /** Whether all documents of the selection were read and all groups are there. */
  readonly isComplete: boolean;
}

interface Row {
  readonly documents: number;
  readonly count: number | null;
}

/** Counts the names and values in the metadata of documents, restricted to a scope. */
@Injectable()
export class FacetRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Counts the documents by the fields that a filter can name, and by their types. The order is by name. */
  async fields(scope: Scope, selection: DocumentSelection, prefix: string): Promise<Facets<FieldCount>> {
    const parts = await this.inEachShard<FieldCount & Row>(scope, DOCUMENTS.fields, (part, limit) =>
      fieldStatement(part, selection, prefix, limit),
    );
    return merged(parts, DOCUMENTS.fields, ({ name, type, count }) => ({ name, type, count }));
  }

  /**
   * Counts the documents by the values of a field. An element of an array is a value; null, objects and texts of more
   * than 256 characters are not.
   */
  async values(
    scope: Scope,
    selection: DocumentSelection,
    field: Field,
    prefix: string,
  ): Promise<Facets<ValueCount>> {
    const parts = await this.inEachShard<ValueCount & Row>(scope, DOCUMENTS.values, (part, limit) =>
      valueStatement(part, selection, field, prefix, limit),
    );
    return merged(parts, DOCUMENTS.values, ({ value, count }) => ({ value, count }));
  }

  /** A cluster does not run a recursive statement over several shards. */
  private async inEachShard<T>(
    scope: Scope,
    limit: number,
    statement: (part: Scope, limit: number) => Sql,
  ): Promise<T[][]> {
    const parts = shardsOf(scope);
    const each = Math.ceil(limit / parts.length);
    return Promise.all(parts.map((part) => read<T>(this.dataSource, statement(part, each))));
  }
}

function merged<T, R extends Row>(
  parts: readonly R[][],
  limit: number,
  groupOf: (row: R & { readonly count: number }) => T,
): Facets<T> {
  const each = Math.ceil(limit / parts.length);
  return {
    groups: parts.flatMap((rows) =>
      rows.filter((row): row is R & { readonly count: number } => row.count !== null).map(groupOf),
    ),
    documents: parts.reduce((sum, [first]) => sum + Math.min(first?.documents ?? 0, each), 0),
    isComplete: parts.every((rows) => (rows[0]?.documents ?? 0) <= each && rows.length < MAX_GROUPS),
  };
}

/** One document more than the limit shows whether there are more. */
function newest(scope: Scope, selection: DocumentSelection, columns: Sql, limit: number): Sql {
  return sql`select d.external_id as id, ${columns} from documents d
    where ${documentPredicate(scope, selection)}
    order by d.updated_at desc, d.external_id desc limit ${limit + 1}`;
}

/**
 * Lists the names as a filter reads them (`filters/sql/metadata-jsonpath.ts`): a member of an object, and of the objects
 * in an array one level deep. A top-level key of the same name hides the path. A key with a dot can be named on the top
 * level only, and nothing below it can.
 */
function fieldStatement(scope: Scope, selection: DocumentSelection, prefix: string, limit: number): Sql {
  return sql`with recursive d as materialized (
      ${newest(scope, selection, sql`d.metadata, d.metadata_types`, limit)}
    ), entry (id, name, value, declared, dotted, is_open, level) as (
      select d.id, e.key, e.value, d.metadata_types ->> e.key,
             array(select k from jsonb_object_keys(d.metadata) k where strpos(k, '.') > 0),
             strpos(e.key, '.') = 0, 1
      from (select d.* from d limit ${limit}) d cross join lateral jsonb_each(d.metadata) e
      union all
      select p.id, p.name || '.' || m.key, m.value, null, p.dotted, true, p.level + 1
      from entry p
      cross join lateral jsonb_path_query(p.value, '$[*]') o (value)
      cross join lateral jsonb_each(case when jsonb_typeof(o.value) = 'object' then o.value else '{}' end) m
      where p.is_open and p.level < ${MAX_PATH_LEVELS} and jsonb_typeof(p.value) in ('object', 'array')
        and strpos(m.key, '.') = 0 and not (p.name || '.' || m.key = any(p.dotted))
        and length(p.name) + 1 + length(m.key) <= ${MAX_NAME_LENGTH}
    ), typed as (
      select e.id, e.name, t.type from entry e
      cross join lateral (
        select case when jsonb_typeof(e.value) = 'string' and e.declared in ('decimal', 'date', 'datetime')
               then e.declared else jsonb_typeof(e.value) end
        union
        select jsonb_typeof(x) from jsonb_array_elements(
          case when jsonb_typeof(e.value) = 'array' then e.value else '[]' end) x
      ) t (type)
      where e.name not in ('', 'filename', 'external_id') and not starts_with(e.name, '$')
        and length(e.name) <= ${MAX_NAME_LENGTH}
        ${prefix === '' ? empty : sql`and ${textStartsWith(sql`e.name`, prefix)}`}
    ), counted as (
      select t.name, t.type, count(distinct t.id)::integer as count from typed t
      group by grouping sets ((t.name), (t.name, t.type))
      order by t.name collate "C", t.type nulls first limit ${MAX_GROUPS}
    )
    select (select count(*)::integer from d) as documents, c.name, c.type, c.count
    from (select 1) one left join counted c on true order by c.name collate "C", c.type nulls first`;
}

function valueStatement(
  scope: Scope,
  selection: DocumentSelection,
  field: Field,
  prefix: string,
  limit: number,
): Sql {
  const column =
    field.kind === 'metadata'
      ? sql`d.metadata as source`
      : sql`to_jsonb(${field.column === 'filename' ? sql`d.filename` : sql`d.external_id::text`}) as source`;
  const paths = field.kind === 'metadata' ? valuePaths(field) : ['$'];
  const found = join(
    // In lax mode `[*]` of a value that is not an array is the value itself.
    paths.map((path) => sql`select x from jsonb_path_query(d.source, ${`${path}[*]`}::jsonpath) x`),
    ' union all ',
  );
  const text = sql`(f.x #>> '{}')`;
  return sql`with d as materialized (${newest(scope, selection, column, limit)}
    ), counted as (
      select v.value, count(*)::integer as count from (select d.* from d limit ${limit}) d
      cross join lateral (
        select distinct case jsonb_typeof(f.x) when 'number' then to_jsonb(trim_scale(${text}::numeric)) else f.x end as value
        from (${found}) f
        where jsonb_typeof(f.x) in ('string', 'number', 'boolean') and length(${text}) <= ${MAX_VALUE_LENGTH}
          ${prefix === '' ? empty : sql`and ${textStartsWith(text, prefix)}`}
      ) v
      group by v.value order by count desc, v.value::text collate "C" limit ${MAX_GROUPS}
    )
    select (select count(*)::integer from d) as documents, c.value::text as value, c.count
    from (select 1) one left join counted c on true`;
}
