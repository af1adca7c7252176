import sql, { raw } from 'sql-template-tag';
import { localModel } from '../../src/config/local-models.js';
import { run } from '../../src/database/run.js';
import { CHUNKS, PAGES, type Space } from '../../src/chunks/vectors/vector-space.js';
import { check, idsOf, type Check } from './check.js';
import { Collected } from './found.js';

interface OtherVectors {
  readonly id: string;
  readonly rows: number;
}

/** Checks that the vectors belong to one space. */
export const VECTOR_CHECKS: readonly Check[] = [
  { of: CHUNKS, note: 'vectors of chunks', isWhole: raw('true') },
  {
    of: PAGES,
    note: 'vectors of pages',
    // A page has several vectors. Each dimension of a vector takes one byte.
    isWhole: raw('octet_length(t.vectors) = t.vector_count * vector_dims(t.pooled)'),
  },
].map(({ of: { name, column, space }, note, isWhole }) =>
  check<OtherVectors>({
    name: note,
    rule: `Every row of ${name} has a vector of the stored dimensions`,
    remedy: 'Ingest the document again',
    statement: (appId) =>
      sql`select t.document_id::text as id, count(*)::integer as rows from ${raw(name)} t
              join documents d on d.app_id = ${appId} and d.external_id = t.document_id and d.progress is null
              where t.app_id = ${appId} and t.${raw(column)} is not null
                and not (vector_dims(t.${raw(column)}) = (
                  select (value ->> 'dimensions')::integer from service_state where name = ${space}) and ${isWhole})
              group by t.document_id`,
    describe: ({ id, rows }) => `${id}: ${rows} vectors`,
    async repair({ dataSource, rebuild }, appId, damages) {
      const ids = idsOf(damages);
      await rebuild.queue(appId, ids);
      // A vector with a different number of dimensions would make the index build fail, and then the service would
      // not start.
      await run(
        dataSource,
        sql`delete from ${raw(name)} t where t.app_id = ${appId} and t.document_id = any(${ids}::uuid[])
              and vector_dims(t.${raw(column)}) <> (
                select (value ->> 'dimensions')::integer from service_state where name = ${space})
              and exists (select 1 from documents d
                where d.app_id = ${appId} and d.external_id = t.document_id and d.progress is not null)`,
      );
    },
  }),
);

/** Compares the space of the stored vectors with the settings. Does not call a model. */
export const MODEL_CHECKS: readonly Check[] = [
  check<{ readonly note: string }>({
    name: 'embedding model',
    rule: 'The stored vectors were made by EMBEDDING_MODEL',
    remedy: 'Set EMBEDDING_MODEL back, or run "lectern reindex"',
    async find({ dataSource, settings: { EMBEDDING_MODEL, EMBEDDING_DIMENSIONS } }, _, limit) {
      const found = new Collected<{ note: string }>(limit);
      const [stored] = await run<{ value: Space }>(
        dataSource,
        sql`select value from service_state where name = ${CHUNKS.space}
            and exists (select 1 from chunks)`,
      );
      if (stored === undefined) return found;
      const local = localModel(EMBEDDING_MODEL);
      const model = local === undefined ? EMBEDDING_MODEL : `local/${local.name}`;
      const dimensions = local?.dimensions ?? EMBEDDING_DIMENSIONS ?? stored.value.dimensions;
      const { value } = stored;
      if (value.model !== model || value.dimensions !== dimensions) {
        found.add({
          note: `stored ${value.model} (${value.dimensions} dimensions), configured ${model} (${dimensions} dimensions)`,
        });
      }
      return found;
    },
    describe: ({ note }) => note,
  }),
];
