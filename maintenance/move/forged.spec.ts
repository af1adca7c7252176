import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { MoveInstallation } from '../../test/support/move-installation.js';
import { ExportReader } from './export-reader.js';
import { ExportWriter } from './export-writer.js';
import type { ExportHeader, SectionContent } from './format.js';
import { movedTables } from './moved-tables.js';
import { unlistedJsonColumns } from './row-schema.js';

type Row = Record<string, unknown>;

/** Changes to an export. The forged export has correct checksums. */
interface Forgery {
  readonly header?: (header: ExportHeader) => unknown;
  /** Changes the first row of a table. */
  readonly row?: readonly [table: string, change: (row: Row) => Row];
  readonly columns?: readonly [table: string, columns: (columns: readonly string[]) => readonly string[]];
  readonly file?: { readonly appId: string; readonly key: string };
}

async function forged(bytes: Buffer, { header, row, columns, file }: Forgery): Promise<Buffer> {
  const reader = new ExportReader(Readable.from([bytes]));
  const out = new PassThrough();
  const written = buffer(out);
  const writer = new ExportWriter(out);
  const original = await reader.header();
  await writer.begin((header?.(original) ?? original) as ExportHeader);
  if (file !== undefined) await writer.section({ file }, 6, [Buffer.from('forged')]);
  for await (const { head, payload } of reader.sections()) {
    let content = await buffer(Readable.from(payload()));
    let section: SectionContent = head;
    if ('rows' in head) {
      const { table } = head.rows;
      if (row?.[0] === table) content = withFirstRow(head.rows.columns, content, row[1]);
      if (columns?.[0] === table) {
        section = { rows: { ...head.rows, columns: columns[1](head.rows.columns) } };
      }
      section = 'rows' in section ? { rows: section.rows } : section;
    } else section = { file: head.file };
    await writer.section(section, content.length, [content]);
  }
  await writer.end();
  out.end();
  return written;
}

function withFirstRow(
  columns: readonly string[],
  content: Buffer,
  change: (row: Row) => Row,
): Buffer<ArrayBuffer> {
  const [first = '', ...others] = content.toString().split('\n');
  const values = JSON.parse(first) as unknown[];
  const row = change(Object.fromEntries(columns.map((column, at) => [column, values[at]])));
  return Buffer.from([JSON.stringify(Object.values(row)), ...others].join('\n'));
}

const FOREIGN = 'staying/0198c0de-0000-7000-8000-00000000abcd/a.txt';

const named = (key: string): string => `it names the file "${key}", which does not lie below acme/`;

describe('a forged export', () => {
  let source: MoveInstallation;
  let target: MoveInstallation;
  let bytes: Buffer;
  beforeAll(async () => {
    source = await MoveInstallation.open();
    target = await MoveInstallation.open();
    await source.fill('acme');
    await target.fill('staying');
    await target.store.put(FOREIGN, Buffer.from('the file of another tenant'));
    bytes = await source.export('acme');
  }, 120_000);
  afterAll(async () => {
    await source.close();
    await target.close();
  });

  it.each<[string, Forgery, string]>([
    ['a file of another tenant', { file: { appId: 'acme', key: FOREIGN } }, named(FOREIGN)],
    [
      'a file outside every tenant',
      { file: { appId: 'acme', key: 'acme/../staying/a.txt' } },
      named('acme/../staying/a.txt'),
    ],
    [
      'a file of a tenant that it does not list',
      { file: { appId: 'staying', key: FOREIGN } },
      'it has a file of a tenant that it does not list',
    ],
    [
      'a source of another tenant',
      {
        row: [
          'documents',
          (row) => ({ ...row, storage_files: JSON.stringify([{ bucket: 'local', key: FOREIGN }]) }),
        ],
      },
      named(FOREIGN),
    ],
    [
      'an origin of another tenant',
      {
        row: [
          'documents',
          (row) => ({ ...row, ingested_from: JSON.stringify({ source: { key: FOREIGN } }) }),
        ],
      },
      named(FOREIGN),
    ],
    [
      'an upload of another tenant',
      { row: ['files', (row) => ({ ...row, object_key: FOREIGN })] },
      named(FOREIGN),
    ],
    [
      'a page image of another tenant',
      { row: ['pages', (row) => ({ ...row, object_key: FOREIGN })] },
      named(FOREIGN),
    ],
    [
      'a job for a source of another tenant',
      {
        row: [
          'ingestion_jobs',
          (row) => ({ ...row, payload: JSON.stringify({ update: { file: { key: FOREIGN } } }) }),
        ],
      },
      named(FOREIGN),
    ],
    [
      'a row of another tenant',
      { row: ['api_keys', (row) => ({ ...row, app_id: 'default' })] },
      'it has rows of a tenant that it does not list',
    ],
    [
      'a table of the whole installation',
      { columns: ['api_keys', () => ['name', 'value']] },
      'the columns of "api_keys" differ from those of this version',
    ],
    [
      'a row with too few values',
      { row: ['conversations', () => ({ app_id: 'acme' })] },
      'a row of conversations does not have one text for each of its',
    ],
    [
      'a folder with too long a path',
      { row: ['folders', (row) => ({ ...row, path: '/a'.repeat(513) })] },
      'a path of folders has more than 1024 bytes',
    ],
    [
      'a value that is not a text',
      { row: ['conversations', (row) => ({ ...row, title: { $ne: 1 } })] },
      'a row of conversations does not have one text for each of its',
    ],
    [
      'a value of another type',
      { row: ['chunks', (row) => ({ ...row, chunk_number: 'first' })] },
      'rows of chunks do not fit the table (invalid input syntax for type integer: "first")',
    ],
    [
      'JSON of another shape',
      { row: ['documents', (row) => ({ ...row, storage_files: '{}' })] },
      'the column storage_files of a row of documents is not a JSON array',
    ],
    [
      'a revision that leaves none for new jobs',
      { header: (header) => ({ ...header, revision: '9223372036854775807' }) },
      'its header is not valid ("revision" is not a number of jobs)',
    ],
    [
      'the id of a shard instead of a tenant',
      {
        header: (header) => ({
          ...header,
          tenants: header.tenants.map((one) => ({ ...one, appId: 'staying\u001f1' })),
        }),
      },
      'its header is not valid ("appId" is not a text of 1 to 1000 printable characters)',
    ],
    [
      'a tenant twice',
      { header: (header) => ({ ...header, tenants: [...header.tenants, ...header.tenants] }) },
      'its header is not valid (a tenant is listed twice)',
    ],
  ])('with %s is refused, and nothing of another tenant changes', async (_what, forgery, reason) => {
    const archive = await forged(bytes, forgery);
    const before = [await target.rowsOf('staying'), await target.filesOf('staying')];
    const sentence = `The export is refused: ${reason}`;
    await expect(target.plan(archive)).rejects.toThrow(sentence);
    expect(await target.query(`select 1 from apps where app_id = 'acme'`)).toEqual([]);
    await expect(target.restore(archive)).rejects.toThrow(sentence);
    expect([await target.rowsOf('staying'), await target.filesOf('staying')]).toEqual(before);
    expect(await target.query(`select 1 from api_keys where app_id = 'acme'`)).toEqual([]);
    await target.remove('acme');
    await target.query(`delete from service_state where name like 'restore:%'`);
  });

  it('does not sign anybody in', async () => {
    const archive = await forged(bytes, {
      row: [
        'api_keys',
        (row) => ({ ...row, sign_in_hash: '\\x00ff', sign_in_expires_at: '2999-01-01 00:00:00+00' }),
      ],
    });
    await target.restore(archive);
    const keys = await target.query(
      `select name, sign_in_hash, sign_in_expires_at from api_keys where app_id = 'acme'`,
    );
    expect(keys).toEqual([{ name: 'k', sign_in_hash: null, sign_in_expires_at: null }]);
  });

  it('is listed with every row, file and key, and nothing is written', async () => {
    const { tenants } = await target.plan(bytes, { into: 'elsewhere', shards: 2 });
    const [key] = await source.query<{ jti: string }>(`select jti from api_keys where app_id = 'acme'`);
    expect(key).toBeDefined();
    expect(tenants).toMatchObject([
      {
        appId: 'elsewhere',
        shards: 2,
        files: 1,
        fileBytes: 100_000,
        rows: { documents: 3, conversations: 1 },
        keys: [],
      },
    ]);
    expect(await target.query(`select 1 from apps where app_id = 'elsewhere'`)).toEqual([]);
    expect(await target.filesOf('elsewhere')).toEqual([]);
    const empty = await MoveInstallation.open();
    const plan = await empty.plan(bytes);
    expect(plan.tenants[0]?.keys).toEqual([
      { id: key?.jti, name: 'k', permissions: '{admin}', endUserId: null },
    ]);
    expect(await empty.query('select 1 from apps')).toEqual([]);
    await empty.close();
  });

  it('is checked in every JSON column', () => {
    const { dataSource } = source.database;
    for (const { name } of movedTables(dataSource)) {
      expect([name, unlistedJsonColumns(name, dataSource.getMetadata(name).columns)]).toEqual([name, []]);
    }
  });
});
