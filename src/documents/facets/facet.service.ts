import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { FacetRepository, type FieldCount, type ValueCount } from '../../corpus/facet.repository.js';
import { Invalid } from '../../errors/index.js';
import { fieldNameDefect, fieldNamed } from '../../filters/filter.js';
import { parseJson } from '../../json/exact-json.js';
import type { MetadataType } from '../../metadata/metadata-type.js';
import { selectionOf } from '../../retrieval/selection-fields.dto.js';
import type { FacetQuery, FieldDto, FieldsDto, ValuesDto } from './facet.dto.js';

/** Lists the names and values of metadata, for the choices of a filter. */
@Injectable()
export class FacetService {
  constructor(private readonly facets: FacetRepository) {}

  async fields(scope: Scope, query: FacetQuery): Promise<FieldsDto> {
    const after = query.cursor === undefined ? null : positionOf(query.cursor, 'name');
    const { groups, documents, isComplete } = await this.facets.fields(
      scope,
      { ...selectionOf(query), filter: query.filters ?? null },
      query.prefix ?? '',
    );
    const all = byName(groups).filter(({ name }) => after === null || compare(name, after.name) > 0);
    const fields = all.slice(0, query.limit);
    const last = fields.at(-1);
    return {
      fields,
      documents,
      is_complete: isComplete,
      next_cursor: last !== undefined && all.length > fields.length ? cursorOf({ name: last.name }) : null,
    };
  }

  async values(scope: Scope, name: string, query: FacetQuery): Promise<ValuesDto> {
    const defect = fieldNameDefect(name) ?? (name.startsWith('$') ? NOT_A_FIELD : undefined);
    if (defect !== undefined) throw Invalid.at(['path', 'name'], defect);
    const after = query.cursor === undefined ? null : positionOf(query.cursor, 'value');
    const { groups, documents, isComplete } = await this.facets.values(
      scope,
      { ...selectionOf(query), filter: query.filters ?? null },
      fieldNamed(name),
      query.prefix ?? '',
    );
    const all = byFrequency(groups).filter((one) => after === null || order(after, one) < 0);
    const shown = all.slice(0, query.limit);
    const last = shown.at(-1);
    return {
      values: shown.map(({ value, count }) => ({ value: parseJson(value), count })),
      documents,
      is_complete: isComplete,
      next_cursor: last !== undefined && all.length > shown.length ? cursorOf(last) : null,
    };
  }
}

const NOT_A_FIELD = 'a field name expects no "$" at its beginning, got one';

/** Adds the counts of the shards. */
function byName(groups: readonly FieldCount[]): FieldDto[] {
  const fields = new Map<string, { count: number; types: Map<MetadataType, number> }>();
  for (const { name, type, count } of groups) {
    const field = fields.get(name) ?? { count: 0, types: new Map<MetadataType, number>() };
    if (type === null) field.count += count;
    else field.types.set(type as MetadataType, (field.types.get(type as MetadataType) ?? 0) + count);
    fields.set(name, field);
  }
  return [...fields]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, { count, types }]) => ({
      name,
      count,
      types: [...types].map(([type, number]) => ({ type, count: number })),
    }));
}

/** Adds the counts of the shards. */
function byFrequency(groups: readonly ValueCount[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const { value, count } of groups) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count })).sort(order);
}

function order(a: ValueCount, b: ValueCount): number {
  return b.count - a.count || compare(a.value, b.value);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

type Position<Key extends string> = Readonly<Record<Key, string>> & { readonly count: number };

function cursorOf(position: Partial<ValueCount & FieldCount>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function positionOf<Key extends 'name' | 'value'>(cursor: string, key: Key): Position<Key> {
  try {
    const position = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Position<Key> | null;
    if (typeof position?.[key] === 'string' && (key === 'name' || Number.isInteger(position.count))) {
      return position;
    }
  } catch {
    // Not JSON: refused below.
  }
  throw Invalid.at(['query', 'cursor'], 'Value error, the cursor is not one of this list');
}
