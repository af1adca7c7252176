import sql, { type Sql } from 'sql-template-tag';

/** A range of chunk or page numbers of a document, inclusive. */
export interface DocumentRange {
  readonly documentId: string;
  readonly first: number;
  readonly last: number;
}

export function documentOf({ documentId }: DocumentRange): string {
  return documentId;
}

/** Returns a FROM item for the ranges: `r` with `document_id`, `first` and `last`. */
export function rangeRows(ranges: readonly DocumentRange[]): Sql {
  const ids = ranges.map(({ documentId }) => documentId);
  const firsts = ranges.map(({ first }) => first);
  const lasts = ranges.map(({ last }) => last);
  return sql`unnest(${ids}::uuid[], ${firsts}::integer[], ${lasts}::integer[]) as r(document_id, first, last)`;
}
