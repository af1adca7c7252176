import sql from 'sql-template-tag';
import { openTestDatabase, overRows } from '../../test/filters/over-rows.js';
import type { TestDatabase } from '../../test/support/database.js';
import { type Scope, scopeOf as scopeOfKey } from '../auth/scope.js';
import {
  documentPredicate,
  compileSelection,
  foundWithin,
  type DocumentSelection,
} from './document-predicate.js';
import { EVERYTHING } from './filter.js';
import { rangesOf } from './sql/ordered-range.js';
import { parseFilter } from './parse/parse-filter.js';

const scopeOf = (appId: string, endUserId: string | null = null, groups: readonly string[] = []): Scope =>
  scopeOfKey(appId, ['read'], 'key', { endUserId, groups });

/** Name, tenant, folder, end user, status. */
const DOCUMENTS: readonly (readonly [string, string, string | null, string | null, string])[] = [
  ['root', 't', null, null, 'completed'],
  ['a', 't', '/a', 'ann', 'completed'],
  ['ab', 't', '/a/b', null, 'completed'],
  ['abc', 't', '/a/b/c', 'ann', 'completed'],
  ['sibling', 't', '/a-b', null, 'completed'],
  ['cased', 't', '/A', null, 'completed'],
  ['wild', 't', '/a%', null, 'completed'],
  ['below wild', 't', '/a%/b', null, 'completed'],
  ['draft', 't', '/a', null, 'processing'],
  ['broken', 't', '/a/b', null, 'failed'],
  ['foreign', 'u', '/a', 'ann', 'completed'],
];
const idOf = (name: string) =>
  `00000000-0000-4000-8000-${String(DOCUMENTS.findIndex(([each]) => each === name)).padStart(12, '0')}`;

const EVERYTHING_ASKED: DocumentSelection = {
  filter: parseFilter({ $or: [{ filename: 'a' }, { filename: { $gt: 'ab' } }] }, ['filters']),
  folders: ['/a', '/x'],
  folderDepth: 2,
  endUserId: 'ann',
  documentIds: [idOf('a'), idOf('abc'), 'no id'],
  status: 'completed',
};

const LEVEL = "length(d.folder_path) - length(replace(d.folder_path, '/', ''))";

describe('documentPredicate, as SQL', () => {
  const predicateOf = (selection: DocumentSelection) => {
    const { text, values } = documentPredicate(scopeOf('t'), selection);
    return [text, values];
  };

  it('restricts only the tenant for an empty selection', () => {
    const tenant = ['d.app_id = $1', ['t']];
    expect(predicateOf({})).toEqual(tenant);
    const nothing = { filter: null, folders: null, endUserId: null, documentIds: null, status: null };
    expect(predicateOf(nothing)).toEqual(tenant);
  });

  it('selects what is shared with a person by name', () => {
    const { text, values } = documentPredicate(scopeOf('t', 'ann', ['sales']), { sharedByName: true });
    expect(text).toBe(
      'd.app_id = $1 and d.readers && $2::text[] and not d.readers && $3::text[] and d.owner is distinct from $4',
    );
    expect(values.slice(1)).toEqual([['user:ann', 'group:sales'], ['everyone'], 'user:ann']);
  });

  it('restricts a key of an end user to what this end user, the groups and everyone may read', () => {
    const { text, values } = documentPredicate(scopeOf('t', 'ann', ['sales']), { status: 'completed' });
    expect(text).toBe('d.app_id = $1 and d.readers && $2::text[] and d.status = $3');
    expect(values).toEqual(['t', ['user:ann', 'group:sales', 'everyone'], 'completed']);
  });

  it('selects all shards of a sharded tenant', () => {
    const { text, values } = documentPredicate({ ...scopeOf('t'), shards: 3 }, { folderId: idOf('a') });
    expect(text).toBe('d.app_id = any($1::text[]) and d.folder_id = $2::uuid');
    expect(values).toEqual([['t', 't\u001f1', 't\u001f2'], idOf('a')]);
  });

  it('compiles to a lookup and a test, and adds the lookup of a range', () => {
    const filter = parseFilter({ size: { $in: [1, 2, 3] }, age: { $gt: 1 } }, ['filters']) ?? EVERYTHING;
    const [range = null] = rangesOf(filter);
    const found = documentPredicate(scopeOf('t'), { filter }).text;
    expect(found).toContain('d.metadata_hashes &&');
    const selection = compileSelection(scopeOf('t'), { filter });
    expect(selection.find.text).toBe(documentPredicate(scopeOf('t'), { filter, status: 'completed' }).text);
    expect(selection.test.text).toMatch(/^d\.app_id = \$1 and d\.status = \$2 and \(/);
    expect(selection.test.text).not.toContain('d.metadata_hashes');
    if (range === null) throw new Error('no range');
    const { find, test } = foundWithin(scopeOf('t'), selection, range);
    expect(test).toBe(selection.test);
    expect(
      find.text.startsWith(`${selection.find.text} and d.external_id = any(array(select o.document_id`),
    ).toBe(true);
    expect(find.values.filter((value) => value === 't').length).toBeGreaterThan(2);
  });

  it('combines all restrictions with AND', () => {
    expect(predicateOf(EVERYTHING_ASKED)).toEqual([
      'd.app_id = $1 and d.status = $2 and d.end_user_id = $3 and ' +
        `(d.folder_path = $4 or (d.folder_path > $5 and d.folder_path < $6 and ${LEVEL} <= $7::bigint) or ` +
        `d.folder_path = $8 or (d.folder_path > $9 and d.folder_path < $10 and ${LEVEL} <= $11::bigint)) and ` +
        'd.external_id = any($12::uuid[]) and ' +
        '(((d.filename is not null and d.filename = any($13::text[]))) or ((d.filename is not null and d.filename collate "C" > $14::text)))',
      [
        't',
        'completed',
        'ann',
        '/a',
        '/a/',
        '/a0',
        3,
        '/x',
        '/x/',
        '/x0',
        3,
        [idOf('a'), idOf('abc')],
        ['a'],
        'ab',
      ],
    ]);
  });

  it.each<[string, readonly string[], number | undefined, string, readonly unknown[]]>([
    ['a folder with the default depth', ['/a'], undefined, '(d.folder_path = $2)', ['/a']],
    ['a folder with depth 0', ['/a'], 0, '(d.folder_path = $2)', ['/a']],
    [
      'all descendants of a folder',
      ['/a'],
      -1,
      '(d.folder_path = $2 or (d.folder_path > $3 and d.folder_path < $4))',
      ['/a', '/a/', '/a0'],
    ],
    [
      'two levels below a nested folder',
      ['/a/b'],
      2,
      `(d.folder_path = $2 or (d.folder_path > $3 and d.folder_path < $4 and ${LEVEL} <= $5::bigint))`,
      ['/a/b', '/a/b/', '/a/b0', 4],
    ],
    ['duplicate folders', ['/a', '/b', '/a'], 0, '(d.folder_path = $2 or d.folder_path = $3)', ['/a', '/b']],
    ['an empty list of folders', [], 0, 'false', []],
    ['the root', ['/'], 0, '(d.folder_path is null)', []],
    ['a level below the root', ['/'], 1, `(d.folder_path is null or ${LEVEL} <= $2::bigint)`, [1]],
    ['all below the root', ['/'], -1, '(true)', []],
  ])('compiles %s', (_, folders, folderDepth, text, values) => {
    const depth = folderDepth === undefined ? {} : { folderDepth };
    expect(predicateOf({ folders, ...depth })).toEqual([`d.app_id = $1 and ${text}`, ['t', ...values]]);
  });

  it('looks up valid UUIDs only', () => {
    const id = idOf('ab').toUpperCase();
    const wrong = [`x${id}`, `${id}0`, 'no id', '', `${id.slice(0, 8)}${id.slice(9)}`];
    const found = ['d.app_id = $1 and d.external_id = any($2::uuid[])', ['t', [id]]];
    expect(predicateOf({ documentIds: [...wrong, id] })).toEqual(found);
    expect(predicateOf({ documentIds: wrong })).toEqual(['d.app_id = $1 and false', ['t']]);
  });
});

overRows('documentPredicate, over rows', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query("insert into apps (app_id, name) values ('t', 't'), ('u', 'u')");
    for (const [name, appId, folder, endUser, status] of DOCUMENTS) {
      const insert = sql`insert into documents (app_id, external_id, status, content_type, filename, folder_path, end_user_id) values (${appId}, ${idOf(name)}, ${status}, 'text/plain', ${name}, ${folder}, ${endUser})`;
      await database.dataSource.query(insert.text, insert.values);
    }
  }, 60_000);
  afterAll(() => database.close());

  async function selected(selection: DocumentSelection, appId = 't'): Promise<readonly string[]> {
    const statement = sql`select d.filename from documents d where ${documentPredicate(scopeOf(appId), selection)} order by d.external_id`;
    const rows: readonly { readonly filename: string }[] = await database.dataSource.query(
      statement.text,
      statement.values,
    );
    return rows.map(({ filename }) => filename);
  }

  it('restricts only the tenant for an empty selection', async () => {
    expect(await selected({}, 'u')).toEqual(['foreign']);
  });

  it('combines all restrictions with AND', async () => {
    expect(await selected(EVERYTHING_ASKED)).toEqual(['a', 'abc']);
    expect(await selected({ ...EVERYTHING_ASKED, folderDepth: 1 })).toEqual(['a']);
    expect(await selected({ ...EVERYTHING_ASKED, status: 'failed' })).toEqual([]);
    expect(await selected(EVERYTHING_ASKED, 'u')).toEqual([]);
  });

  it.each<[string, readonly string[], number | undefined, readonly string[]]>([
    ['a folder with the default depth', ['/a'], undefined, ['a', 'draft']],
    ['a folder with depth 0', ['/a'], 0, ['a', 'draft']],
    ['all descendants of a folder', ['/a'], -1, ['a', 'ab', 'abc', 'draft', 'broken']],
    ['one level deeper', ['/a'], 1, ['a', 'ab', 'draft', 'broken']],
    ['two levels deeper', ['/a'], 2, ['a', 'ab', 'abc', 'draft', 'broken']],
    ['two folders', ['/a/b/c', '/A'], 0, ['abc', 'cased']],
    ['a folder and one inside it', ['/a', '/a/b'], -1, ['a', 'ab', 'abc', 'draft', 'broken']],
    ['a name with a wildcard', ['/a%'], -1, ['wild', 'below wild']],
    ['an unknown folder', ['/x'], -1, []],
    ['an empty list of folders', [], -1, []],
    ['the root', ['/'], 0, ['root']],
    ['one level below the root', ['/'], 1, ['root', 'a', 'sibling', 'cased', 'wild', 'draft']],
    [
      'everything below the root',
      ['/'],
      -1,
      DOCUMENTS.filter(([, appId]) => appId === 't').map(([name]) => name),
    ],
    ['the root or a folder', ['/', '/A'], 0, ['root', 'cased']],
  ])('finds %s', async (_, folders, folderDepth, names) => {
    expect(await selected({ folders, ...(folderDepth === undefined ? {} : { folderDepth }) })).toEqual(names);
  });

  it('finds documents by id, and none by an invalid UUID', async () => {
    expect(await selected({ documentIds: [idOf('ab').toUpperCase(), idOf('foreign')] })).toEqual(['ab']);
    expect(await selected({ documentIds: ["x' or true --"] })).toEqual([]);
    expect(await selected({ documentIds: [] })).toEqual([]);
  });

  it('finds documents by end user and status', async () => {
    expect(await selected({ endUserId: 'ann' })).toEqual(['a', 'abc']);
    expect(await selected({ endUserId: '' })).toEqual([]);
    expect(await selected({ status: 'processing' })).toEqual(['draft']);
    expect(await selected({ status: 'failed' })).toEqual(['broken']);
  });

  it('keeps a filter with alternatives inside the tenant', async () => {
    const filter = parseFilter({ $or: [{ nothing: null }, { filename: 'foreign' }] }, ['filters']);
    expect(await selected({ filter, folders: ['/a'] }, 'u')).toEqual(['foreign']);
    expect(await selected({ filter: parseFilter({ filename: 'foreign' }, ['filters']) })).toEqual([]);
  });
});
