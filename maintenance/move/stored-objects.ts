import sql, { join, type Sql } from 'sql-template-tag';
import { isJsonObject, parseJson, printJson } from '../../src/json/exact-json.js';
import { isObjectKey, objectKey } from '../../src/storage/object-key.js';
import { RefusedExport } from './format.js';
import { isVisible } from './moved-tables.js';

/** Columns that name stored objects, by table. */
const NAMING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  documents: ['storage_files', 'ingested_from'],
  files: ['object_key', 'bucket'],
  ingestion_jobs: ['payload'],
  pages: ['object_key'],
};

/**
 * Selects the objects (`app_id`, `key`) that rows refer to.
 * @param selects predicate over the rows of a table under an alias
 */
export function referencedObjects(selects: (alias: string) => Sql): Sql {
  const sources = [
    sql`select d.app_id, f ->> 'key' as key from documents d, jsonb_array_elements(d.storage_files) f
        where ${selects('d')}`,
    sql`select d.app_id, d.ingested_from #>> '{source,key}' from documents d where ${selects('d')}`,
    sql`select j.app_id, k from ingestion_jobs j,
          unnest(array[j.payload #>> '{source,key}', j.payload #>> '{update,file,key}']) k where ${selects('j')}`,
    sql`select p.app_id, p.object_key from pages p where ${selects('p')} and ${isVisible('pages', 'p')}`,
    sql`select f.app_id, f.object_key from files f where ${selects('f')}`,
  ];
  return sql`select distinct split_part(o.app_id, chr(31), 1) as app_id, o.key
             from (${join(sources, ' union all ')}) o where o.key is not null`;
}

/**
 * Translates the keys and buckets of a tenant's objects to those in another store. Refuses every key outside the
 * prefix of the tenant, because an archive could otherwise name, and overwrite, the files of another tenant.
 */
export class ObjectMove {
  private readonly from: string;
  private readonly to: string;

  /** @param bucket bucket of the store that receives the objects */
  constructor(
    source: string,
    target: string,
    private readonly bucket: string,
  ) {
    this.from = `${objectKey(source)}/`;
    this.to = `${objectKey(target)}/`;
  }

  /** @throws RefusedExport for a key that does not belong to the tenant. */
  key(key: unknown): string {
    if (typeof key !== 'string' || !key.startsWith(this.from) || !isObjectKey(key)) {
      throw new RefusedExport(
        `it names the file ${JSON.stringify(key)}, which does not lie below ${this.from}`,
      );
    }
    return this.to + key.slice(this.from.length);
  }

  /** Returns the text form of a column. Changes it if the column names objects. @throws RefusedExport */
  column(table: string, column: string, text: string | null): string | null {
    if (text === null || NAMING_COLUMNS[table]?.includes(column) !== true) return text;
    if (column === 'object_key') return this.key(text);
    if (column === 'bucket') return this.bucket;
    return printJson(this.moved(parsed(text)));
  }

  /** Translates the objects that `storage_files`, `ingested_from` or the payload of a job name. */
  private moved(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.moved(one));
    if (!isJsonObject(value)) return value;
    const { key, bucket, source, update, file } = value;
    return {
      ...value,
      ...(key !== undefined && { key: this.key(key) }),
      ...(bucket !== undefined && { bucket: this.bucket }),
      ...(source !== undefined && { source: this.moved(source) }),
      ...(update !== undefined && { update: this.moved(update) }),
      ...(file !== undefined && { file: this.moved(file) }),
    };
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new RefusedExport('a column that names files is not JSON');
  }
}
