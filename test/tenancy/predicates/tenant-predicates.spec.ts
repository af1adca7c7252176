import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTestDatabase } from '../../support/database.js';
import { TENANT_TABLES, tenantUses } from './tenant-predicates.mjs';

const QUERIES = 'src/chunks/queries';

const unbound = async (text: string): Promise<string[]> =>
  (await tenantUses(text)).filter(({ bound }) => !bound).map(({ table }) => table);

/** Counts the uses whose tenant equals a parameter. */
const boundTo = async (text: string, parameter: number): Promise<number> =>
  (await tenantUses(text)).filter(({ parameters }) => parameters.includes(parameter)).length;

describe('tenant predicates', () => {
  it('cover every table with a tenant column', async () => {
    const { dataSource, close } = await openTestDatabase();
    try {
      const rows: { name: string }[] = await dataSource.query(
        `select table_name as name from information_schema.columns
         where table_schema = current_schema() and column_name = 'app_id' and table_name <> 'apps'`,
      );
      expect([...TENANT_TABLES].sort()).toEqual(rows.map(({ name }) => name).sort());
    } finally {
      await close();
    }
  });

  it.each([
    ['a parameter', 'select from documents where app_id = $1'],
    ['a parameter of another type', 'select from documents d where $1::text = d.app_id and d.status = $2'],
    ['a bound table', 'select from documents d join chunks c on c.app_id = d.app_id where d.app_id = $1'],
    ['a bound table by USING', 'select from documents d join chunks c using (app_id) where c.app_id = $1'],
    [
      'a bound table by a row',
      'delete from chunks c using documents d where (c.app_id, 1) = (d.app_id, 2) and d.app_id = $1',
    ],
    [
      'the outer query',
      'select (select count(*) from chunks c where c.app_id = d.app_id) from documents d where d.app_id = $1',
    ],
    [
      'a table in EXISTS',
      'select from chunks c where exists (select from documents d where d.app_id = c.app_id and d.app_id = $1)',
    ],
    [
      'rows of a subquery',
      'select from chunks c where (c.app_id, c.document_id) in (select app_id, external_id from documents where app_id = $1)',
    ],
    [
      'values of the caller',
      'select from documents d join unnest($1::text[]) as given(app_id) on given.app_id = d.app_id',
    ],
    [
      'a common table expression',
      'with d as (select * from documents where app_id = $1) delete from chunks c using d where c.app_id = d.app_id',
    ],
    [
      'both parts of a union',
      'select from chunks c join (select app_id from documents where app_id = $1 union select app_id from folders where app_id = $1) u on u.app_id = c.app_id',
    ],
    [
      'a recursive expression',
      'with recursive f as (select app_id from folders where app_id = $1 union all select g.app_id from folders g join f on g.app_id = f.app_id) select from f',
    ],
    ['an inserted parameter', 'insert into conversations (id, app_id) values ($1, $2), ($3, $4)'],
    [
      'an inserted selection',
      'insert into turns (app_id) select app_id from conversations where app_id = $1',
    ],
    [
      'parameters in each alternative',
      'select from documents d where (d.app_id = $1 and d.status = $2) or (d.app_id = $3 and exists (select from chunks c where c.app_id = d.app_id))',
    ],
    ['the tenants', 'insert into rate_limits (app_id, key_id) select app_id, $1 from apps where app_id = $2'],
    [
      'one of several parameters',
      'select from documents where app_id in ($1, $2) and app_id = any($3::text[])',
    ],
    ['nothing', 'select from chunks where false'],
  ])('are found for a table bound to %s', async (_to, text) => {
    expect((await tenantUses(text)).length).toBeGreaterThan(0);
    expect(await unbound(text)).toEqual([]);
  });

  it.each([
    ['without a condition', 'select from documents', ['documents']],
    ['with another condition', 'delete from documents where external_id = $1', ['documents']],
    ['with an alternative', 'select from documents where app_id = $1 or status = $2', ['documents']],
    ['with the opposite condition', 'select from documents where not (app_id = $1)', ['documents']],
    ['with a comparison', 'select from documents where app_id > $1', ['documents']],
    ['outside a list', 'select from documents where app_id not in ($1, $2)', ['documents']],
    ['that names itself', 'select from documents d where d.app_id = d.app_id', ['documents']],
    ['joined to nothing', 'select from documents d, chunks c where d.app_id = $1', ['chunks']],
    [
      'in an outer join',
      'select from documents d left join chunks c on c.app_id = d.app_id and d.app_id = $1',
      ['documents', 'chunks'],
    ],
    [
      'beside a full join',
      'select from documents d full join chunks c on c.app_id = d.app_id where d.app_id = $1',
      ['chunks'],
    ],
    [
      'beside NOT EXISTS',
      'select from chunks c where not exists (select from documents d where d.app_id = c.app_id and d.app_id = $1)',
      ['chunks'],
    ],
    ['in a subquery', 'select from documents where app_id = $1 and 1 in (select 1 from chunks)', ['chunks']],
    ['in a part of a union', 'select from documents where app_id = $1 union select from chunks', ['chunks']],
    [
      'in a common table expression',
      'with c as (select * from chunks) select from documents where app_id = $1',
      ['chunks'],
    ],
    [
      'inserted from a union with rows of any tenant',
      'insert into conversations (app_id) select $1 union all select app_id from documents',
      ['conversations', 'documents'],
    ],
    ['inserted without a tenant', 'insert into conversations (id) values ($1)', ['conversations']],
  ])('are missing for a table %s', async (_how, text, tables) => {
    expect(await unbound(text)).toEqual(tables);
  });

  it('name the parameters of a table', async () => {
    const [chunks] = await tenantUses(
      'select from chunks c join documents d on d.app_id = c.app_id and d.app_id = $2 where c.app_id = $1',
    );
    expect(chunks?.parameters).toEqual([1, 2]);
  });

  it('are all needed: removing any one from the statements over chunks is detected', async () => {
    for (const name of await readdir(QUERIES)) {
      const statements = (await readFile(join(QUERIES, name), 'utf8'))
        .split(/;\n/)
        .filter((text) => text.trim() !== '');
      for (const statement of statements) {
        const text = statement.replaceAll(' narrowed', ' true');
        expect({ name, unbound: await unbound(text) }).toEqual({ name, unbound: [] });
        for (const { index, 0: predicate } of text.matchAll(/(?<=\b(?:where|and|on) )\w\.app_id = \$\d+/g)) {
          const without = `${text.slice(0, index)}true${text.slice(index + predicate.length)}`;
          const parameter = Number(/\d+$/.exec(predicate)?.[0]);
          expect(await boundTo(without, parameter)).toBeLessThan(await boundTo(text, parameter));
        }
      }
    }
  });
});
