import type { DataSource } from 'typeorm';
import sql, { type Sql } from 'sql-template-tag';
import { typeMetadata } from '../../src/metadata/typed-metadata.js';
import { parseJson, printJson } from '../../src/json/exact-json.js';

interface ExampleDocument {
  readonly filename: string | null;
  readonly metadata: string;
  readonly declared?: Readonly<Record<string, string>>;
}

/**
 * Documents by name, as tests refer to them. Metadata is JSON text, so that it can hold numbers of any
 * precision.
 */
export const DOCUMENTS: Readonly<Record<string, ExampleDocument>> = {
  report: {
    filename: 'a.pdf',
    metadata:
      '{"kind": "report", "size": 9007199254740993, "flag": true, "price": "0.1", "due": "2024-01-01"}',
    declared: { price: 'decimal', due: 'date' },
  },
  note: {
    filename: 'b.txt',
    metadata:
      '{"kind": "note", "size": 9007199254740992, "flag": false, "price": 0.10, "due": "2024-01-01T01:00:00+01:00"}',
  },
  tagged: {
    filename: 'Scan.PDF',
    metadata: '{"kind": ["report", "x"], "tags": ["a", "b"], "size": 1, "price": "0.10"}',
  },
  nested: {
    filename: null,
    metadata: '{"kind": ["x"], "tags": [["a", "b"], 1, null], "flag": 1, "due": "2024-01-01"}',
  },
  authored: {
    filename: null,
    metadata:
      '{"author": {"name": "Ann", "age": 3}, "authors": [{"name": "Ann", "tags": ["x"]}, {"name": "Bob"}], "kind": null}',
  },
  anonymous: {
    filename: '',
    metadata: '{"author": {}, "authors": [{"age": 3}, "Ann"], "kind": "Café Ké\u212a"}',
  },
  exact: {
    filename: 'a.pdf.bak',
    metadata: '{"authors.name": "Ann", "authors": {"name": "Bob"}, "size": "1"}',
  },
  empty: { filename: null, metadata: '{}' },
};

/** Stores {@link DOCUMENTS} for tenant `t`. Ids end in the position, from 1. */
export async function storeDocuments(dataSource: DataSource): Promise<void> {
  await dataSource.query("insert into apps (app_id, name) values ('t', 't')");
  for (const [index, [name, { filename, metadata, declared }]] of Object.entries(DOCUMENTS).entries()) {
    const typed = typeMetadata({
      metadata: parseJson(metadata),
      declared,
      loc: ['metadata'],
      typesLoc: ['metadata_types'],
    });
    const id = `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
    const insert = sql`insert into documents (app_id, external_id, status, content_type, filename, error, metadata, metadata_types) values ('t', ${id}, 'completed', 'text/plain', ${filename}, ${name}, ${printJson(typed.metadata)}, ${printJson(typed.metadataTypes)})`;
    await dataSource.query(insert.text, insert.values);
  }
}

/**
 * Returns the names of the documents that a predicate over `d` selects, in the order of {@link DOCUMENTS}.
 */
export async function select(dataSource: DataSource, predicate: Sql): Promise<readonly string[]> {
  const statement = sql`select d.error as name from documents d where ${predicate} order by d.external_id`;
  const rows: readonly { readonly name: string }[] = await dataSource.query(statement.text, statement.values);
  return rows.map(({ name }) => name);
}
